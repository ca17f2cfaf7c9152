import { raw, table } from '../../../kernel/db/build';
import type { Sql, Tx } from '../../../kernel/db/database';
import { lockByKey } from '../../sandbox/rows';

/** An application as the sandbox's reviewer stores it. */
export interface SandboxReview {
  key: string;
  scenario: string | null;
  firstAskedAt: Date;
  calls: number;
  takenAt: Date | null;
}

const TABLE = 'sandbox_reviews';
const COLUMNS = ['key', 'scenario', 'firstAskedAt', 'calls', 'takenAt'];

/** Locks the application with that key. The first call inserts it. */
export function lockReview(
  tx: Sql,
  given: Pick<SandboxReview, 'key' | 'scenario'>,
  at: Date,
): Promise<SandboxReview> {
  return lockByKey<SandboxReview>(tx, TABLE, { ...given, firstAskedAt: at }, COLUMNS);
}

export async function findReview(sql: Sql, key: string): Promise<SandboxReview | undefined> {
  const [review] = await sql.run<SandboxReview>(table(TABLE).select(COLUMNS).where({ key }));
  return review;
}

/** Counts a call. @param takenAt null where the application was not taken */
export function noteCall(tx: Tx, key: string, takenAt: Date | null): void {
  tx.defer(
    table(TABLE)
      .where({ key })
      .update({ calls: raw('calls + 1'), takenAt: raw('coalesce(taken_at, ?)', [takenAt]) }),
  );
}
