import { z } from 'zod';
import { formatAmounts } from '../../kernel/money/money';
import { money } from '../../kernel/wire/schemas';
import { shown } from '../../kernel/wire/shown';
import type { Bin } from './record';

export const binSchema = z
  .object({
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
  })
  .meta({ id: 'Bin' });

/** A BIN on the wire: fees in its currency, percentages as decimal strings. */
export function binView(bin: Bin) {
  const { issue, topUp, settleFixed, decline, settlePercent } = bin.fees;
  const fees = formatAmounts({ issue, topUp, settleFixed, decline }, bin.currency);
  return shown(binSchema, bin, {
    providerCardHolderModel: bin.model,
    fees: shown(binSchema.shape.fees, fees, {
      settlePercent: settlePercent.toFixed(),
      markupPercent: bin.markupPercent.toFixed(),
    }),
  });
}
