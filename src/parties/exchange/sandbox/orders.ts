import { table } from '../../../kernel/db/build';
import { Decimal } from '../../../kernel/money/money';
import type { SandboxRates } from '../../rates/sandbox/table';
import type { KeptOrder, OrderBook } from '../../sandbox/orders/book';
import * as paying from '../../sandbox/paying/progress';
import { payingScenarioOf } from '../../sandbox/paying/scenarios';
import { recordMovements } from './balances';
import { changesOf, type Deal, type ToldDeal, wordAt } from './progress';
import { exchangeScenarioOf } from './scenarios';
import { dealMovements, withdrawalMovements } from './settlement';
import { tablePrice } from './table-price';

const TABLE = 'sandbox_exchange_orders';

interface Asked {
  key: string;
  currency: string;
  amount: Decimal;
  callbackUrl: string;
}

type DealOrder = Asked & Pick<Deal, 'bought' | 'minReceive'>;
type KeptDeal = KeptOrder & Deal;
type KeptWithdrawal = KeptOrder & Asked;

/** A row as the driver returns it, with amounts as text. */
type Row<Kept, Amounts extends keyof Kept> = Omit<Kept, Amounts> & Record<Amounts, string | null>;

const orNull = (text: string | null): Decimal | null => (text === null ? null : new Decimal(text));

const isOther = (order: Asked, kept: Asked): boolean =>
  order.currency !== kept.currency || !order.amount.eq(kept.amount);

/** @param rates how the table of rates moves, because an order takes its price from the table */
export const dealBook = (rates: SandboxRates): OrderBook<DealOrder, KeptDeal, ToldDeal> => ({
  party: 'exchange',
  table: TABLE,
  kind: 'deal',
  columns: ['currency', 'amount', 'bought', 'minReceive', 'rate'],
  rowOf: ({ amount, minReceive, ...order }) => ({
    ...order,
    amount: amount.toFixed(),
    minReceive: minReceive?.toFixed() ?? null,
  }),
  keptOf: ({ amount, minReceive, rate, ...row }: Row<KeptDeal, 'amount' | 'minReceive' | 'rate'>) => ({
    ...row,
    amount: new Decimal(amount ?? 0),
    minReceive: orNull(minReceive),
    rate: orNull(rate),
  }),
  isAnother: (order, kept) =>
    isOther(order, kept) ||
    order.bought !== kept.bought ||
    order.minReceive?.toFixed() !== kept.minReceive?.toFixed(),
  faultsOf: ({ amount }) => exchangeScenarioOf(amount),
  accept(tx, kept, at) {
    const { key, currency, bought } = kept;
    const rate = tablePrice({ from: currency, to: bought, at, rates });
    const deal = { ...kept, rate };
    tx.defer(table(TABLE).where({ key }).update({ rate: rate.toFixed() }));
    recordMovements(tx, key, at, dealMovements(deal));
    return deal;
  },
  changesOf,
  wordAt,
});

export const WITHDRAWALS: OrderBook<Asked, KeptWithdrawal, paying.ToldPayment> = {
  party: 'exchange',
  table: TABLE,
  kind: 'withdrawal',
  columns: ['currency', 'amount'],
  rowOf: ({ amount, ...order }) => ({ ...order, amount: amount.toFixed() }),
  keptOf: ({ amount, ...row }: Row<KeptWithdrawal, 'amount'>) => ({
    ...row,
    amount: new Decimal(amount ?? 0),
  }),
  isAnother: isOther,
  faultsOf: ({ amount }) => payingScenarioOf(amount),
  accept(tx, kept, at) {
    recordMovements(tx, kept.key, at, withdrawalMovements({ ...kept, acceptedAt: at }));
    return kept;
  },
  changesOf: paying.changesOf,
  wordAt: paying.wordAt,
};
