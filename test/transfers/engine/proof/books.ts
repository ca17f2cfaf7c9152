import { type Decimal, ZERO } from '../../../../src/kernel/money/money';
import type { PartyWord, TransferKind } from '../../../../src/transfers/engine/kind';
import {
  balanced,
  type ComponentTable,
  entryOf,
  type Holding,
  INTERNAL_COMPONENTS,
} from '../../../../src/transfers/engine/position';
import type { Situation } from '../../../../src/transfers/engine/record';

/** What the books hold because of a transfer, with what balances it. */
export const booksOf = <Terms, Word extends PartyWord>(
  kind: TransferKind<Terms, Word>,
  counting: Situation<Terms, Word>,
): Holding[] => balanced(kind.position(counting), { ...INTERNAL_COMPONENTS, ...kind.components });

/** What the books say that the party has of ours in a currency. */
export const heldByParty = (books: readonly Holding[], component: string, currency: string): Decimal =>
  books
    .filter((each) => each.component === component && each.currency === currency)
    .reduce((held, { amount }) => held.minus(amount), ZERO);

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
