import { z } from 'zod';
import { formatAmount } from '../../kernel/money/money';
import { money } from '../../kernel/wire/schemas';
import type { Bin } from './record';

export const binSchema = z.object({
  bin: z.string().meta({ examples: ['44112200'] }),
  scheme: z.string().meta({ examples: ['visa'] }),
  currency: z.string().meta({ examples: ['USD'] }),
  providerCardHolderModel: z.enum(['B2B', 'B2C']),
  capacityPerCardholder: z.number().int(),
  status: z.enum(['active', 'closed']),
  fees: z.object({
    issue: money(),
    topUp: money(),
    settleFixed: money(),
    settlePercent: z.string().meta({ examples: ['0.5'] }),
    decline: money(),
    markupPercent: z.string().meta({ examples: ['2'] }),
  }),
});

/** A BIN on the wire: fees in its currency, percentages as decimal strings. */
export function binView(bin: Bin) {
  const { fees, currency } = bin;
  return {
    bin: bin.bin,
    scheme: bin.scheme,
    currency,
    providerCardHolderModel: bin.model,
    capacityPerCardholder: bin.capacityPerCardholder,
    status: bin.status,
    fees: {
      issue: formatAmount(fees.issue, currency),
      topUp: formatAmount(fees.topUp, currency),
      settleFixed: formatAmount(fees.settleFixed, currency),
      settlePercent: fees.settlePercent.toFixed(),
      decline: formatAmount(fees.decline, currency),
      markupPercent: bin.markupPercent.toFixed(),
    },
  };
}
