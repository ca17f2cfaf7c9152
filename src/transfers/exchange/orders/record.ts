import { z } from 'zod';
import type { ExchangeOrderWord } from '../../../parties/exchange/word';
import { storedDecimal as decimal } from '../../../parties/protocol/stored';
import type { Situation, Transition } from '../../engine/record';

/** The terms that the client agreed to. Debits are in `currency`, credits in `toCurrency`. */
export const exchangeOrderTerms = z.object({
  currency: z.string(),
  toAccountId: z.string(),
  toCurrency: z.string(),
  /** The maximum debit, with the fee. */
  amount: decimal,
  /** Fee for selling the whole amount. A sold part bears its proportion. */
  fee: decimal,
  /** Minimum credit: the exchange sells the whole amount, less the fee, for at least this, or sells nothing. */
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
  /** The deal is over and as ordered. */
  | 'filled'
  /** By a check of the settlement, the party has paid for the deal. */
  | 'released'
  /** The deal has grown above the released amount. */
  | 'grown'
  /** The party refused the order, dealt nothing, or dealt otherwise than ordered. */
  | 'failed'
  /** By an operator, or because an account or its user may not exchange any more. */
  | 'cancelled'
  /** The party may deal more after it had said that the order was over. */
  | 'reopened'
  /** The amounts of the word contradict its status. */
  | 'incoherent';

/** Transitions of an order (decisions part 4, Exchange). A status changes only by a line of this table. */
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

export const OPEN_ORDER_STATUSES = EXCHANGE_ORDER_STATUSES.filter((status) => !isFinal(status));
