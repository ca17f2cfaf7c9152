import { raw, table } from '../../../kernel/db/build';
import type { Sql } from '../../../kernel/db/database';
import { lockByKey } from '../../sandbox/rows';

/** An application as the sandbox's reviewer keeps it. */
export interface SandboxReview {
  key: string;
  scenario: string | null;
  firstAskedAt: Date;
  calls: number;
  /** When the application was taken. */
  takenAt: Date | null;
}

const TABLE = 'sandbox_reviews';
const COLUMNS = ['key', 'scenario', 'firstAskedAt', 'calls', 'takenAt'];

/** The application of that key, locked; noted at the first call. */
export function lockReview(
  tx: Sql,
  { key, scenario, at }: { key: string; scenario: string | null; at: Date },
): Promise<SandboxReview> {
  return lockByKey<SandboxReview>(tx, TABLE, { key, scenario, firstAskedAt: at }, COLUMNS);
}

export async function findReview(sql: Sql, key: string): Promise<SandboxReview | undefined> {
  const [review] = await sql.run<SandboxReview>(table(TABLE).select(COLUMNS).where({ key }));
  return review;
}

export async function countCall(tx: Sql, key: string): Promise<void> {
  await tx.run(
    table(TABLE)
      .where({ key })
      .update({ calls: raw('calls + 1') }),
  );
}

export async function take(tx: Sql, key: string, at: Date): Promise<void> {
  await tx.run(table(TABLE).where({ key }).update({ takenAt: at }));
}
