import type { Sql } from '../../../kernel/db/database';
import { internalBalances } from '../../../kernel/ledger/accounts';
import { PARTY_ACCOUNTS } from '../../../kernel/ledger/party-accounts';
import { CURRENCIES } from '../../../kernel/money/currencies';
import { type Decimal, ZERO } from '../../../kernel/money/money';
import type { Services } from '../../../services';
import { balanceOf, readBalances, type SaidBalances, showUnreadable } from './reading';
import { readReleasable } from './releasable';
import { isOfItsTime } from './rules';

export interface SettlementBalance {
  currency: string;
  /** By our books the exchange has that of ours; below zero where we owe it. */
  booked: Decimal;
  /** As the exchange says at `asOf`. */
  reported: Decimal;
  difference: Decimal;
  asOf: Date;
}

export interface ReleasableBalance extends SettlementBalance {
  /** A check by this reading would complete orders for so much. */
  releasable: Decimal;
}

/**
 * What the exchange has of ours, of each currency in which there is something: as it says now, beside our books. What it has
 * dealt and not paid yet is booked, and not reported. `releasable` is zero where a check would refuse the reading. A currency of which it says what cannot be read is shown to the operator,
 * and left out.
 * @throws Problem 503 while it cannot be asked
 */
export async function settlementBalances(
  services: Pick<Services, 'parties' | 'database' | 'now'>,
): Promise<ReleasableBalance[]> {
  const { database, now } = services;
  const from = now();
  const said = await readBalances(services);
  const isCurrent = isOfItsTime(said.asOf, { from, to: now() });
  await showUnreadable(database, said, now());
  const balances = await comparedWith(database, said);
  const releasable = isCurrent ? await readReleasable(database, balances) : [];
  return balances.map((balance, index) => ({ ...balance, releasable: releasable[index] ?? ZERO }));
}

/**
 * A reading beside our books as they are now, but for what of it cannot be read.
 * @param also currencies that are wanted though nothing is there
 */
export async function comparedWith(
  sql: Sql,
  said: SaidBalances,
  also: readonly string[] = [],
): Promise<SettlementBalance[]> {
  const books = await internalBalances(sql, PARTY_ACCOUNTS.exchange, CURRENCIES);
  return CURRENCIES.filter((currency) => !said.unreadable.includes(currency))
    .map((currency) => {
      const [booked, reported] = [(books.get(currency) ?? ZERO).negated(), balanceOf(said, currency)];
      return { currency, booked, reported, difference: reported.minus(booked), asOf: said.asOf };
    })
    .filter(
      ({ currency, booked, reported }) => also.includes(currency) || !(booked.isZero() && reported.isZero()),
    );
}
