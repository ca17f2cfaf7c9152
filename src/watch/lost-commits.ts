import { skipLost } from '../chain/wallets/seed/seed';
import { type LostCommits, newestMark } from '../kernel/db/commit-marks';
import type { Database, Sql, Tx } from '../kernel/db/database';
import { lookoutOf, type Sign } from '../kernel/db/lookout';
import { WATCHED_PARTIES } from '../kernel/outbox/queues';
import { openBreak } from '../process/breaks/operations';
import { skipLostNumbers } from '../transfers/iban/virtual-ibans/skip-numbers';
import { LISTENERS } from './listeners';
import { forgetPlacesSince } from './store';

/**
 * Recovers from a loss of commits. Parties' lists are read again from before the loss, and resting transfers ask their party. No lost
 * address of a wallet or IBAN is given again, and a break tells people. Chains need nothing, because their position is lost together with the
 * blocks that were read.
 */

/** Kind of the break that tells people. */
const COMMITS_LOST = 'commits_lost';
/** Advisory lock that lets one process record a loss. */
const LOCK = 7_204_121;
/** More indexes than could be derived between two marks, or since a backup of the day before. Indexes cost nothing. */
const SKIPPED_INDEXES = 100_000;
/** Few, because a bank's range is limited, and an operator enables each IBAN. */
const SKIPPED_IBANS = 100;

/**
 * Records a loss and begins the recovery. Several processes may find the same loss: the first one records it.
 * @param at the product's time
 * @returns whether this call has recorded it
 */
export function noteLostCommits(database: Database, loss: LostCommits, at: Date): Promise<boolean> {
  return database.transaction(async (tx) => {
    const isNew = await recordLoss(tx, loss, at);
    if (isNew) tx.afterCommit(() => lookoutOf(database).wake());
    return isNew;
  });
}

/** As {@link noteLostCommits}, in the caller's transaction. */
export async function recordLoss(tx: Tx, { since, reason }: LostCommits, at: Date): Promise<boolean> {
  await tx.query('select pg_advisory_xact_lock($1)', [LOCK]);
  // A finding that is still there after the loss was made after it.
  const [last] = await tx.query<{ foundAt: Date }>(
    'select found_at as "foundAt" from lost_commits order by number desc limit 1',
  );
  if (last && last.foundAt > since) return false;
  await tx.query('insert into lost_commits (since, reason) values ($1, $2)', [since, reason]);
  await forgetPlacesSince(tx, since);
  for (const party of WATCHED_PARTIES) await LISTENERS[party].askInstead?.(tx, at);
  await skipLost(tx, 'evm', SKIPPED_INDEXES);
  await skipLostNumbers(tx, SKIPPED_IBANS);
  const detail = `since ${since.toISOString()}: ${reason}`;
  await openBreak(tx, { tenantId: null, kind: COMMITS_LOST, subject: 'installation', detail });
  return true;
}

/** A restore has lost everything after the newest mark that is still there. */
export const lossByRestore = async (sql: Sql): Promise<LostCommits> => ({
  since: (await newestMark(sql)) ?? new Date(0),
  reason: 'restore',
});

const LAST_LOSS: Sign = { name: 'lost commits', sql: 'select max(number) from lost_commits' };

/**
 * Number of the last recorded loss; zero for none, as of at most two seconds ago. A reader that remembers another number forgets its
 * changes.
 */
export const lastLoss = async (database: Database): Promise<number> =>
  Number(await lookoutOf(database).value(LAST_LOSS));
