import { z } from 'zod';
import { formatAmount, formatAmounts, toRate } from '../../../kernel/money/money';
import { instant, money } from '../../../kernel/wire/schemas';
import { shown } from '../../../kernel/wire/shown';
import { dealOf, orderedDeal, outcomeOf } from './deal';
import { dueToClient } from './position';
import { EXCHANGE_ORDER_STATUSES, type ExchangeOrder, type ExchangeOrderStatus } from './record';

/**
 * An exchange order in the API (decisions part 4, Exchange). Its account transactions have its id as their
 * `referenceId`. Later changes by the party have a `referenceId` of their own, and the order's id as `linkedId`.
 */
export const exchangeOrderSchema = z
  .object({
    id: z.string().meta({ examples: ['exo_01jz0000000000000000000000'] }),
    fromAccountId: z.string(),
    toAccountId: z.string(),
    fromCurrency: z.string(),
    toCurrency: z.string(),
    status: z.enum(EXCHANGE_ORDER_STATUSES).meta({
      description:
        '`created`: accepted, the amount is held. `executing`: the exchange has the order. `awaiting_settlement`: the deal is ' +
        'over and the exchange owes the bought amount. `completed`: the exchange has paid it. `failed`, `cancelled`: the hold ' +
        'is released.',
    }),
    amount: money().meta({ description: 'The maximum debit, with the fee.' }),
    fee: money().meta({
      description: 'Fee within the amount: for the whole amount, and once completed for the sold part.',
    }),
    minReceive: money().optional().meta({ description: 'In `toCurrency`.' }),
    sold: money().meta({ description: 'The amount sold so far, without the fee.' }),
    bought: money().meta({
      description: 'The amount bought so far, in `toCurrency`. Credited once `completed`.',
    }),
    rate: z
      .string()
      .optional()
      .meta({
        description: 'Average rate: units of `toCurrency` for one unit of `fromCurrency`.',
        examples: ['1.0841'],
      }),
    failure: z
      .string()
      .optional()
      .meta({ description: 'Code of the reason, for a failed or cancelled order.' }),
    createdAt: instant(),
    updatedAt: instant(),
    filledAt: instant()
      .optional()
      .meta({ description: 'When the order first became `awaiting_settlement`.' }),
    completedAt: instant().optional(),
  })
  .meta({ id: 'ExchangeOrder' });

export type ExchangeOrderView = z.output<typeof exchangeOrderSchema>;

export function exchangeOrderView(order: ExchangeOrder): ExchangeOrderView {
  const { accountId, status, terms, reached } = order.transfer;
  const { currency, toCurrency, minReceive, amount } = terms;
  const { sold, bought } = dealShown(order);
  const due = dueToClient(order);
  const record = { ...terms, ...order.transfer };
  return shown(exchangeOrderSchema, record, {
    fromAccountId: accountId ?? '',
    fromCurrency: currency,
    status: status as ExchangeOrderStatus,
    ...formatAmounts({ amount, fee: due.sold.gt(0) ? due.fee : terms.fee, sold }, currency),
    minReceive: minReceive && formatAmount(minReceive, toCurrency),
    bought: formatAmount(bought, toCurrency),
    rate: sold.gt(0) ? toRate(bought.dividedBy(sold)).toFixed() : undefined,
    filledAt: reached['awaiting_settlement'],
    completedAt: reached['completed'],
  });
}

/** The part that is or will be the client's. Nothing of a deal that was not as ordered. */
function dealShown(order: ExchangeOrder) {
  const { terms, word } = order.transfer;
  const isUnderWay = word !== null && outcomeOf(terms, word) === 'open';
  return (isUnderWay ? orderedDeal(terms, word) : dealOf(order)) ?? orderedDeal(terms, null);
}
