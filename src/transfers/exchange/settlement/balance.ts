import type { Sql } from '../../../kernel/db/database';
import { internalBalances } from '../../../kernel/ledger/accounts';
import { allCurrencies } from '../../../kernel/money/currencies';
import { type Decimal, ZERO } from '../../../kernel/money/money';
import { PARTY_ACCOUNTS } from '../../../kernel/parties';
import type { Services } from '../../../services';
import { balanceOf, readBalances, type SaidBalances, showUnreadable } from './reading';
import { readReleasable } from './releasable';
import { isOfItsTime } from './rules';

export interface SettlementBalance {
  currency: string;
  /** Our money at the exchange by our books. Negative where we owe the exchange. */
  booked: Decimal;
  /** Reported by the exchange at `asOf`. */
  reported: Decimal;
  difference: Decimal;
  asOf: Date;
}

export interface ReleasableBalance extends SettlementBalance {
  /** The sum of the orders that a check with this reading would complete. */
  releasable: Decimal;
}

/**
 * Compares the balances that the exchange reports now with our books, for each currency that has one. Deals that are
 * not paid yet are booked and not reported.
 *
 * `releasable` is zero where a check would refuse the reading. A currency with an unreadable amount opens a break and
 * is left out.
 * @throws Problem 503 while the exchange cannot be asked
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
 * Compares a reading with our present books. Unreadable currencies are left out.
 * @param also currencies to include with zero balances
 */
export async function comparedWith(
  sql: Sql,
  said: SaidBalances,
  also: readonly string[] = [],
): Promise<SettlementBalance[]> {
  const books = await internalBalances(sql, PARTY_ACCOUNTS.exchange, allCurrencies());
  return allCurrencies()
    .filter((currency) => !said.unreadable.includes(currency))
    .map((currency) => {
      const [booked, reported] = [(books.get(currency) ?? ZERO).negated(), balanceOf(said, currency)];
      return { currency, booked, reported, difference: reported.minus(booked), asOf: said.asOf };
    })
    .filter(
      ({ currency, booked, reported }) => also.includes(currency) || !(booked.isZero() && reported.isZero()),
    );
}
