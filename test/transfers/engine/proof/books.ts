import assert from 'node:assert/strict';
import { decimalsOf } from '../../../../src/kernel/money/currencies';
import { Decimal, ZERO } from '../../../../src/kernel/money/money';
import type { PartyWord, TransferKind } from '../../../../src/transfers/engine/kind';
import {
  balanced,
  type ComponentTable,
  differences,
  entryOf,
  type Holding,
  INTERNAL_COMPONENTS,
  keyOf,
} from '../../../../src/transfers/engine/position';
import type { Situation } from '../../../../src/transfers/engine/record';

/** What the books hold because of a transfer, with what balances it. */
export const booksOf = <Terms, Word extends PartyWord>(
  kind: TransferKind<Terms, Word>,
  counting: Situation<Terms, Word>,
): Holding[] => balanced(kind.position(counting), { ...INTERNAL_COMPONENTS, ...kind.components });

/** What the books say that the party has of ours in a currency. */
export const heldByParty = (books: readonly Holding[], component: string, currency: string): Decimal =>
  totalOf(
    books.filter((each) => each.currency === currency),
    component,
  ).negated();

/** What is booked once a position has been posted: target minus booked, component by component. */
export const posted = (booked: readonly Holding[], target: readonly Holding[]): Holding[] =>
  summed([...booked, ...differences(target, booked)]);

function summed(all: readonly Holding[]): Holding[] {
  const sums = new Map<string, Holding>();
  for (const holding of all) {
    const amount = holding.amount.plus(sums.get(keyOf(holding))?.amount ?? ZERO);
    sums.set(keyOf(holding), { ...holding, amount });
  }
  return [...sums.values()];
}

/** What was agreed to be changed into what: of `to`, `rate` for one of `from`. */
export interface Exchange {
  from: string;
  to: string;
  rate: Decimal;
}

/**
 * The FX position balances whatever is left: it holds nothing where nothing is exchanged, and else no more than both sides of
 * the exchange and what rounding leaves. Without this, whatever is forgotten would go there.
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
  const { from, to, rate } = exchange;
  const rest = fx(from).times(rate).plus(fx(to));
  const smallest = new Decimal(10).pow(-decimalsOf(to));
  assert.ok(rest.abs().lte(smallest.times(2)), `rounding leaves ${rest.toFixed()} ${to}`);
}

export const totalOf = (books: readonly Holding[], ...components: string[]): Decimal =>
  books
    .filter(({ component }) => components.includes(component))
    .reduce((total, { amount }) => total.plus(amount), ZERO);

/** What a posting of these would do to each currency. */
export function sumsOf(books: readonly Holding[], table: ComponentTable): Map<string, Decimal> {
  const sums = new Map<string, Decimal>();
  for (const holding of books) {
    const { available, pending } = entryOf({ ...holding, reference: 'ref' }, table);
    const { currency } = holding;
    sums.set(currency, (sums.get(currency) ?? ZERO).plus(available).plus(pending));
  }
  return sums;
}

/** Amounts by component, account and currency, whatever their parts. */
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
