import type { Sql } from '../../../kernel/db/database';
import { type Decimal, sumOf, ZERO } from '../../../kernel/money/money';
import {
  availableBy,
  covered,
  type Judged,
  knownTo,
  type Reported,
  releasesNothing,
  type Waiting,
} from './rules';
import { readBooks, readChecks, waitingOrders } from './store';

/** A check releases no more orders than this, so that no lock is held for long. The rest waits for the next check. */
const AT_ONCE = 50;

/** Reads what the exchange has beyond our books by a reading: that much of the waiting orders is paid. */
export const readAvailable = async (
  sql: Sql,
  currency: string,
  { reported, asOf }: Pick<Reported, 'reported' | 'asOf'>,
): Promise<Decimal> => availableBy(reported, await readBooks(sql, currency, knownTo(asOf)));

/** Reads which of the waiting orders so much covers; none where nothing is available. */
export async function readCovered(
  sql: Sql,
  currency: string,
  available: Decimal,
): Promise<{ released: Waiting[]; left: Decimal }> {
  if (!available.gt(0)) return { released: [], left: available };
  return covered(await waitingOrders(sql, currency, AT_ONCE), available);
}

/**
 * Reads what a check would release by each of these readings, in the same order, and locks nothing. The sum is zero where a check would
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
  // The statements share one connection, so they are sent in turn.
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
