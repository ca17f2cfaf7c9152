import type { Sql } from '../../../kernel/db/database';

/** An application as the sandbox's reviewer keeps it. */
export interface SandboxReview {
  key: string;
  scenario: string | null;
  firstAskedAt: Date;
  calls: number;
  /** When the application was taken. */
  takenAt: Date | null;
}

const COLUMNS = `key, scenario, first_asked_at as "firstAskedAt", calls, taken_at as "takenAt"`;

/** The application of that key, locked; noted at the first call. */
export async function lockReview(
  tx: Sql,
  given: { key: string; scenario: string | null; at: Date },
): Promise<SandboxReview> {
  await tx.query(
    `insert into sandbox_reviews (key, scenario, first_asked_at) values ($1, $2, $3) on conflict (key) do nothing`,
    [given.key, given.scenario, given.at],
  );
  const [row] = await tx.query<SandboxReview>(
    `select ${COLUMNS} from sandbox_reviews where key = $1 for update`,
    [given.key],
  );
  return row as SandboxReview;
}

export async function findReview(sql: Sql, key: string): Promise<SandboxReview | undefined> {
  const [row] = await sql.query<SandboxReview>(`select ${COLUMNS} from sandbox_reviews where key = $1`, [
    key,
  ]);
  return row;
}

export async function countCall(tx: Sql, key: string): Promise<void> {
  await tx.query('update sandbox_reviews set calls = calls + 1 where key = $1', [key]);
}

export async function take(tx: Sql, key: string, at: Date): Promise<void> {
  await tx.query('update sandbox_reviews set taken_at = $2 where key = $1', [key, at]);
}
