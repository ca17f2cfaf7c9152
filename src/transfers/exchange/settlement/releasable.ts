import type { Sql } from '../../../kernel/db/database';
import { type Decimal, sumOf, ZERO } from '../../../kernel/money/money';
import {
  availableBy,
  covered,
  includedUntil,
  type Judged,
  type Reported,
  releasesNothing,
  type Waiting,
} from './rules';
import { readBooks, readChecks, waitingOrders } from './store';

/** Orders released by one check, so that no lock is held for long. The next check releases more. */
const AT_ONCE = 50;

/** The exchange's balance beyond our books, by a reading. Orders of this sum are paid. */
export const readAvailable = async (
  sql: Sql,
  currency: string,
  { reported, asOf }: Pick<Reported, 'reported' | 'asOf'>,
): Promise<Decimal> => availableBy(reported, await readBooks(sql, currency, includedUntil(asOf)));

/** The waiting orders that an amount covers. None for an amount of zero or less. */
export async function readCovered(
  sql: Sql,
  currency: string,
  available: Decimal,
): Promise<{ released: Waiting[]; left: Decimal }> {
  if (!available.gt(0)) return { released: [], left: available };
  return covered(await waitingOrders(sql, currency, AT_ONCE), available);
}

/**
 * The sums that checks with these readings would release, in the same order. Locks nothing. Zero where a check would
 * refuse the reading.
 */
export async function readReleasable(
  sql: Sql,
  readings: readonly (Pick<Reported, 'reported' | 'asOf'> & { currency: string })[],
): Promise<Decimal[]> {
  const checks = await readChecks(
    sql,
    readings.map(({ currency }) => currency),
  );
  const all: Decimal[] = [];
  // Statements share one connection, so they are sent in turn.
  for (const { currency, ...reading } of readings) {
    const last: Judged | undefined = checks.get(currency);
    const { released } =
      last && releasesNothing(last, reading)
        ? { released: [] }
        : await readCovered(sql, currency, await readAvailable(sql, currency, reading));
    all.push(released.length === 0 ? ZERO : sumOf(released));
  }
  return all;
}
