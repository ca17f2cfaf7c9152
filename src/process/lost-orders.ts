import type { Sql } from '../kernel/db/database';
import { tailOf } from '../kernel/ids';
import { UNKNOWN_ORDER, UNKNOWN_REFUND } from './breaks/kinds';

/**
 * Protects from paying twice after commits were lost. The party may have an order of a lost record, and the client may repeat the
 * request under its key. The record then has another id with the same end ({@link tailOf}). A refund is an order within a deposit, and a
 * person may ask for a lost one again.
 */

/** Age of a loss after which no client repeats a request. */
const RECENT = `interval '7 days'`;
/** A list is read every three seconds, and told one reading later. */
const TOLD_AFTER = `interval '10 seconds'`;
/** Cache time of the answer that no loss is recent, so that a step makes no query of its own. */
const KNOWN_FOR_MS = 1_000;

const quietUntil = new WeakMap<Sql, number>();

/**
 * Whether the order of this record must wait. It waits until the party's list was read after a loss of commits, and while the party has
 * an unknown order of the same key. People resolve that break when they know what the order was.
 */
export async function mayRepeatLost(database: Sql, party: string, id: string): Promise<boolean> {
  if ((quietUntil.get(database) ?? 0) > performance.now()) return false;
  const shown = `b.kind = $2 and b.detail = $1 and right(b.subject, 10) = $3`;
  const waits = await waitsAfterLoss(database, shown, [party, UNKNOWN_ORDER, tailOf(id)]);
  if (waits === undefined) quietUntil.set(database, performance.now() + KNOWN_FOR_MS);
  return waits ?? false;
}

/**
 * Whether a refund of this deposit must wait. After a loss of commits the party's list is read again first. An unknown refund
 * that was found since must then be explained.
 */
export async function mayRepeatLostRefund(database: Sql, party: string, depositId: string): Promise<boolean> {
  const shown = `b.kind = $2 and b.subject = $3 and b.created_at > product_now(l.found_at)`;
  return (await waitsAfterLoss(database, shown, [party, UNKNOWN_REFUND, depositId])) ?? false;
}

/**
 * @param shown condition of the open break `b` that explains the wait
 * @param values the party first
 * @returns undefined when no loss is recent
 */
async function waitsAfterLoss(
  database: Sql,
  shown: string,
  values: readonly [party: string, kind: string, subject: string],
): Promise<boolean | undefined> {
  const [loss] = await database.query<{ waits: boolean }>(
    `select exists (select from breaks b where b.resolved_at is null and ${shown})
            or not exists (select from list_readings
                            where party = $1 and read_at > product_now(l.found_at) + ${TOLD_AFTER}) as waits
       from (select found_at from lost_commits order by number desc limit 1) l
      where l.found_at > clock_timestamp() - ${RECENT}`,
    [...values],
  );
  return loss?.waits;
}
