import { type Decimal, sumOf } from '../../../kernel/money/money';
import { distinct } from '../../sandbox/changes';
import { type OrderBook, orderBook } from '../../sandbox/orders/book';
import {
  type AskedCredit,
  asked,
  type CreditState,
  type SandboxCredit,
  type SandboxReturn,
  state,
} from './record';

export function statusAt({ endsAt, outcome, undoneAt }: SandboxReturn, at: Date) {
  if (undoneAt !== null && undoneAt <= at) return 'failed';
  return endsAt <= at ? outcome : 'pending';
}

/** The amount that has neither gone back nor is on its way back. */
export function leftOf({ amount, returns }: SandboxCredit, at: Date): Decimal {
  const gone = returns.filter((one) => one.at <= at && statusAt(one, at) !== 'failed');
  return amount.minus(sumOf(gone));
}

type CreditReport = ReturnType<typeof wordAt>;

/** The bank's whole state of the payment at that time. Amounts are decimal strings. */
function wordAt(
  { key: id, iban, amount, currency, remitter, returns }: SandboxCredit,
  version: number,
  at: Date,
) {
  const present = returns.filter((one) => one.at <= at);
  const of = (kind: SandboxReturn['kind']) => present.filter((one) => one.kind === kind);
  return {
    id,
    version,
    iban,
    amount: amount.toFixed(),
    currency,
    remitter,
    recalls: of('recall').map((one) => ({ id: one.id, amount: one.amount.toFixed() })),
    returns: of('return').map((one) => ({
      id: one.id,
      key: one.key ?? undefined,
      amount: one.amount.toFixed(),
      status: statusAt(one, at),
    })),
  };
}

/** The bank's book of received payments. Returns are parts of them. */
export const creditBook: OrderBook<AskedCredit, CreditState, CreditReport> = orderBook({
  party: 'bank',
  kind: 'credit',
  asked,
  state,
  faultsOf: () => ({}),
  momentsNow: (_, at) => [{ at }],
  momentsOf: ({ returns }) => distinct(returns.flatMap(({ at, endsAt, undoneAt }) => [at, endsAt, undoneAt])),
  wordAt,
});
