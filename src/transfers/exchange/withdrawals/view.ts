import { z } from 'zod';
import { formatAmount } from '../../../kernel/money/money';
import { instant } from '../../../kernel/wire/schemas';
import { shown } from '../../../kernel/wire/shown';
import { creditedBack } from '../../payouts/position';
import { outgoingFields, outgoingValues, returnedAmount } from '../../payouts/view';
import { withdrawalDestinationSchema } from '../destinations/view';
import type { ShownWithdrawal } from './create';
import { exchangeWithdrawalKind } from './kind';

/**
 * A withdrawal in the API (decisions part 4, Exchange). Its account transactions have its id as their `referenceId`.
 * Later returns have a `referenceId` of their own, and the withdrawal's id as `linkedId`.
 */
export const exchangeWithdrawalSchema = z
  .object({
    id: z.string().meta({ examples: ['exw_01jz0000000000000000000000'] }),
    accountId: z.string(),
    destinationId: z.string(),
    destination: withdrawalDestinationSchema.shape.destination,
    currency: z.string(),
    ...outgoingFields(),
    returnedAmount: returnedAmount(),
    returnedAt: instant().optional(),
  })
  .meta({ id: 'ExchangeWithdrawal' });

export type ExchangeWithdrawalView = z.output<typeof exchangeWithdrawalSchema>;

export function exchangeWithdrawalView({ withdrawal, destination }: ShownWithdrawal): ExchangeWithdrawalView {
  const { terms } = withdrawal.transfer;
  const returned = creditedBack(withdrawal);
  return shown(exchangeWithdrawalSchema, outgoingValues(withdrawal, exchangeWithdrawalKind.noun), {
    destinationId: terms.destinationId,
    destination: destination.destinationMasked,
    returnedAmount: returned && formatAmount(returned, terms.currency),
  });
}
