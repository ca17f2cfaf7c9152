import { z } from 'zod';
import type { ExchangeOrderWord } from '../../../parties/exchange/word';
import { storedDecimal as decimal } from '../../../parties/protocol/stored';
import type { Situation, Transition } from '../../engine/record';

/** What the client has agreed to. Amounts of the debit are in `currency`, those of the credit in `toCurrency`. */
export const exchangeOrderTerms = z.object({
  currency: z.string(),
  toAccountId: z.string(),
  toCurrency: z.string(),
  /** The whole debit, at most. */
  amount: decimal,
  /** Of the amount, where all of the rest is sold; in proportion where a part is. */
  fee: decimal,
  /** With it the rest of the amount is sold whole and for this at least, or not at all. */
  minReceive: decimal.nullable(),
});

export type ExchangeOrderTerms = z.output<typeof exchangeOrderTerms>;
export type ExchangeOrder = Situation<ExchangeOrderTerms, ExchangeOrderWord>;

export const EXCHANGE_ORDER_STATUSES = [
  'created',
  'executing',
  'awaiting_settlement',
  'completed',
  'failed',
  'cancelled',
] as const;
export type ExchangeOrderStatus = (typeof EXCHANGE_ORDER_STATUSES)[number];

export type ExchangeOrderTrigger =
  /** The party has the order. */
  | 'accepted'
  /** No more will be dealt, and what was is what was ordered. */
  | 'filled'
  /** What the party owes us for it has come, as far as a check of the settlement tells. */
  | 'released'
  /** More was bought than it was released for. */
  | 'grown'
  /** The party has refused it, has dealt nothing, or something else than was ordered. */
  | 'failed'
  /** By an operator, or because an account or its user may no longer exchange. */
  | 'cancelled'
  /** The party says that more may be dealt, after it had said that it was over. */
  | 'reopened'
  /** The amounts of the party's word are not those of its status. */
  | 'incoherent';

/** What happens to an order's status (decisions part 4, Exchange): no status is assigned but by a line of it. */
export const EXCHANGE_ORDER_TRANSITIONS: readonly Transition<ExchangeOrderStatus, ExchangeOrderTrigger>[] = [
  { from: ['created'], on: 'accepted', to: 'executing' },
  { from: ['created'], on: 'cancelled', to: 'cancelled' },
  { from: ['created', 'executing'], on: 'failed', to: 'failed' },
  { from: ['executing'], on: 'filled', to: 'awaiting_settlement' },
  { from: ['awaiting_settlement'], on: 'released', to: 'completed' },
  { from: ['completed'], on: 'grown', to: 'awaiting_settlement', contradicts: true },
  { from: ['awaiting_settlement', 'completed'], on: 'failed', to: 'failed', contradicts: true },
  {
    from: ['awaiting_settlement', 'completed', 'failed'],
    on: 'reopened',
    to: 'executing',
    contradicts: true,
  },
  { from: ['failed'], on: 'filled', to: 'awaiting_settlement', contradicts: true },
];

const FINAL: readonly string[] = ['completed', 'failed', 'cancelled'];

export const isFinal = (status: string): boolean => FINAL.includes(status);
