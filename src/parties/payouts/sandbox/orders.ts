import { Decimal } from '../../../kernel/money/money';
import type { KeptOrder, OrderBook } from '../../sandbox/orders/book';
import { changesOf, type ToldPayment, wordAt } from '../../sandbox/paying/progress';
import { payingScenarioOf } from '../../sandbox/paying/scenarios';

interface Order {
  key: string;
  method: string;
  amount: Decimal;
  currency: string;
  callbackUrl: string;
}

/** A payout as the sandbox's party stores it. */
type SandboxPayout = Order & KeptOrder;

export const PAYOUTS: OrderBook<Order, SandboxPayout, ToldPayment> = {
  party: 'payouts',
  table: 'sandbox_payouts',
  columns: ['method', 'amount', 'currency'],
  rowOf: ({ amount, ...order }) => ({ ...order, amount: amount.toFixed() }),
  keptOf: (row: Omit<SandboxPayout, 'amount'> & { amount: string }) => ({
    ...row,
    amount: new Decimal(row.amount),
  }),
  isAnother: (order, kept) =>
    order.method !== kept.method || order.currency !== kept.currency || !order.amount.eq(kept.amount),
  faultsOf: ({ amount }) => payingScenarioOf(amount),
  changesOf,
  wordAt,
};
