import assert from 'node:assert/strict';
import { ACCOUNT_EFFECTS, type AccountEffect } from '../../../src/kernel/ledger/effects';
import { decimalsOf } from '../../../src/kernel/money/currencies';
import { Decimal, sumOf, ZERO } from '../../../src/kernel/money/money';
import { PARTY_ACCOUNTS } from '../../../src/kernel/parties';
import { positionOf } from '../../../src/transfers/engine/books/closed-accounts';
import {
  balanced,
  type ComponentTable,
  componentsOf,
  differences,
  entryOf,
  type Holding,
  keyOf,
} from '../../../src/transfers/engine/books/position';
import type { AnyKind, TransferKind } from '../../../src/transfers/engine/kind';
import type { PartyWord, Situation } from '../../../src/transfers/engine/record';

/** The position of a transfer in the books, with its balancing entries. */
export const booksOf = <Terms, Word extends PartyWord>(
  kind: TransferKind<Terms, Word>,
  counting: Situation<Terms, Word>,
): Holding[] => balanced(positionOf(kind, counting), componentsOf(kind));

/** Sums the money of ours that a kind's party has in a currency: the balance of the party's own internal account. */
export const heldByParty = (
  kind: Pick<AnyKind, 'party' | 'components'>,
  books: readonly Holding[],
  currency: string,
): Decimal => {
  const account = kind.party === 'chain' ? 'pool@local' : PARTY_ACCOUNTS[kind.party];
  const stands = (holding: Holding) =>
    entryOf({ ...holding, reference: 'ref' }, componentsOf(kind)).account === `${account}:${currency}`;
  return sumOf(books.filter(stands)).negated();
};

/** The booked holdings after a posting of the difference between target and booked. */
export const posted = (booked: readonly Holding[], target: readonly Holding[]): Holding[] =>
  summed([...booked, ...differences(target, booked)]).filter(({ amount }) => !amount.isZero());

function summed(all: readonly Holding[]): Holding[] {
  const sums = new Map<string, Holding>();
  for (const holding of all) {
    const amount = holding.amount.plus(sums.get(keyOf(holding))?.amount ?? ZERO);
    sums.set(keyOf(holding), { ...holding, amount });
  }
  return [...sums.values()];
}

/** The agreed exchange: one unit of `from` buys `rate` units of `to`. */
export interface Exchange {
  from: string;
  to: string;
  rate: Decimal;
  /** The largest allowed rounding difference, in `to`. */
  rounding: Decimal;
}

export const smallestOf = (currency: string): Decimal => new Decimal(10).pow(-decimalsOf(currency));

/**
 * Checks that the FX position holds both sides of the agreed exchange, up to rounding, and nothing without an exchange.
 * The FX position balances every posting, so a forgotten amount would otherwise end there unnoticed.
 */
export function assertExchanged(books: readonly Holding[], exchange: Exchange | null): void {
  const fx = (currency: string) =>
    totalOf(
      books.filter((each) => each.currency === currency),
      'fx',
    );
  const others = books.filter(({ currency }) => currency !== exchange?.from && currency !== exchange?.to);
  assert.equal(totalOf(others, 'fx').toFixed(), '0', 'nothing was exchanged');
  if (!exchange) return;
  const { from, to, rate, rounding } = exchange;
  const rest = fx(from).times(rate).plus(fx(to));
  assert.ok(rest.abs().lte(rounding), `rounding leaves ${rest.toFixed()} ${to}`);
}

/** Checks that each change tells the account's owner exactly its effect on the balance (decisions part 3). */
export function assertTold(changes: readonly Holding[], table: ComponentTable): void {
  for (const change of changes) {
    if (change.account === null) continue;
    const entry = entryOf({ ...change, reference: 'ref' }, table);
    const effect = entry.listed
      ? ACCOUNT_EFFECTS[`${entry.type}/${entry.subtype}` as AccountEffect]
      : { available: 0, pending: 0 };
    const told = change.amount.abs().times(effect.available + effect.pending);
    assert.equal(told.toFixed(), entry.available.plus(entry.pending).toFixed(), change.component);
  }
}

/**
 * Checks that suspense holds exactly the money at the party beyond the agreed amount. A negative amount is our claim.
 * @param net the amount that has come or left, less the returns
 */
export function assertSuspense(
  books: readonly Holding[],
  { currency, net, agreed }: { currency: string; net: Decimal; agreed: Decimal },
): void {
  const own = Decimal.max(ZERO, Decimal.min(agreed, net));
  const suspense = books.filter(({ component }) => component === 'suspense');
  const [here, elsewhere] = [true, false].map((is) =>
    sumOf(suspense.filter((each) => (each.currency === currency) === is)),
  );
  assert.deepEqual([here, elsewhere].map(String), [net.minus(own).toFixed(), '0'], 'suspense');
}

/** The books with inverted signs, for outgoing money: an excess payment is negative in suspense. */
export const negated = (books: readonly Holding[]): Holding[] =>
  books.map((each) => ({ ...each, amount: each.amount.negated() }));

/** Whether a decision has moved money out of suspense, or is returning it. */
export const hasResolutions = ({ decisions }: Pick<Situation, 'decisions'>): boolean =>
  decisions.some(({ kind }) => kind.startsWith('suspense_'));

export const totalOf = (books: readonly Holding[], ...components: string[]): Decimal =>
  books
    .filter(({ component }) => components.includes(component))
    .reduce((total, { amount }) => total.plus(amount), ZERO);

/** The sum of a posting of these holdings, by currency. */
export function sumsOf(books: readonly Holding[], table: ComponentTable): Map<string, Decimal> {
  const sums = new Map<string, Decimal>();
  for (const holding of books) {
    const { available, pending } = entryOf({ ...holding, reference: 'ref' }, table);
    const { currency } = holding;
    sums.set(currency, (sums.get(currency) ?? ZERO).plus(available).plus(pending));
  }
  return sums;
}

/** Amounts by component, account and currency, summed over parts. */
export function totalsOf(books: readonly Holding[]): Record<string, string> {
  const totals = new Map<string, Decimal>();
  for (const { component, account, currency, amount } of books) {
    const name = [component, account, currency].join(' ');
    totals.set(name, (totals.get(name) ?? ZERO).plus(amount));
  }
  return Object.fromEntries(
    [...totals].map(([name, amount]): [string, string] => [name, amount.toFixed()]).sort(),
  );
}

/** `component part: amount` of each holding, for tables of cases. */
export const shown = (books: readonly Holding[]): Record<string, number> =>
  Object.fromEntries(
    books.map(({ component, part, amount }) => [
      [component, part].filter(Boolean).join(' '),
      amount.toNumber(),
    ]),
  );
