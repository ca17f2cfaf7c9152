import type { Sql } from '../kernel/db/database';
import { tailOf } from '../kernel/ids';
import { UNKNOWN_ORDER } from './breaks/kinds';

/**
 * Protects from paying twice after commits were lost. The party may have an order of a lost record, and the client may repeat the
 * request under its key. The record then has another id with the same end ({@link tailOf}).
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
  const [loss] = await database.query<{ waits: boolean }>(
    `select exists (select from breaks where kind = $1 and detail = $2 and resolved_at is null and right(subject, 10) = $3)
            or not exists (select from list_readings
                            where party = $2 and read_at > product_now(l.found_at) + ${TOLD_AFTER}) as waits
       from (select found_at from lost_commits order by number desc limit 1) l
      where l.found_at > clock_timestamp() - ${RECENT}`,
    [UNKNOWN_ORDER, party, tailOf(id)],
  );
  if (!loss) quietUntil.set(database, performance.now() + KNOWN_FOR_MS);
  return loss?.waits ?? false;
}
