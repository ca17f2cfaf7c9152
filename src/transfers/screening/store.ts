import type { Knex } from 'knex';
import { anyOf } from '../../kernel/db/build';
import type { Sql, Tx } from '../../kernel/db/database';
import { decimal, recordTable } from '../../kernel/db/record-table';
import { countWaiting, type WaitingFilter, waitingPage } from '../../kernel/db/waiting';
import { writeWithCommit } from '../../kernel/db/writes';
import type { Screening, ScreeningChange } from './record';

const screenings = recordTable<Screening>('screenings', { amount: decimal });

/** A result to store. People's decisions stay as they are. */
export type SavedScreening = Omit<Screening, 'decided' | 'decidedBy' | 'decidedAt'>;

// Raw: takes any number of rows in one parameter. A repeated word keeps the time of the first question.
const SAVE = `
  insert into screenings (key, subject, tenant_id, direction, chain, asset, amount, status, reason, score, version, waits, asked_at,
         updated_at)
  select r.* from json_to_recordset($1::json) as r(key text, subject text, tenant_id text, direction text, chain text, asset text,
         amount numeric, status text, reason text, score text, version int, waits boolean, asked_at timestamptz, updated_at timestamptz)
  on conflict (key) do update set status = excluded.status, reason = excluded.reason, score = excluded.score,
         version = excluded.version, waits = excluded.waits and screenings.decided is null, updated_at = excluded.updated_at
   where (screenings.status, screenings.reason, screenings.score, screenings.version, screenings.waits)
         is distinct from (excluded.status, excluded.reason, excluded.score, excluded.version, excluded.waits)`;

// A screening of another amount of the same transfer waits no longer.
const END_OTHERS = `
  update screenings s set waits = false
    from json_to_recordset($1::json) as r(key text, subject text)
   where s.subject = r.subject and s.key <> r.key and s.waits`;

/** Writes screenings with the commit. Rows come in the order of their keys, so that writers wait for each other in one order. */
export function saveScreenings(tx: Tx, all: readonly SavedScreening[]): void {
  if (all.length === 0) return;
  const rows = [...all]
    .sort((one, other) => (one.key < other.key ? -1 : 1))
    .map(({ tenantId, amount, askedAt, updatedAt, ...rest }) => ({
      ...rest,
      tenant_id: tenantId,
      amount: amount.toFixed(),
      asked_at: askedAt.toISOString(),
      updated_at: updatedAt.toISOString(),
    }));
  const values = [JSON.stringify(rows)];
  writeWithCommit(tx, [
    { name: 'screenings', statement: SAVE, values },
    { name: 'screenings_others', statement: END_OTHERS, values: [...values] },
  ]);
}

/** Ends the wait of screenings whose transfers have ended, with the commit. */
export function endWaits(tx: Tx, subjects: readonly string[]): void {
  if (subjects.length === 0) return;
  writeWithCommit(tx, [{ name: 'screenings_ended', statement: END_WAITS, values: [[...subjects].sort()] }]);
}

const END_WAITS = 'update screenings set waits = false where subject = any($1::text[]) and waits';

/** Stores the decision of people on a screening. */
export const saveDecision = async (
  tx: Sql,
  key: string,
  decision: Pick<Screening, 'decided' | 'decidedBy' | 'decidedAt'>,
): Promise<void> =>
  void (await tx.run(
    screenings()
      .where({ key })
      .update({ ...decision, waits: false }),
  ));

const changes = recordTable<ScreeningChange>('screening_results', {}, [
  ...['key', 'at', 'status', 'reason', 'score', 'version', 'decidedBy'],
]);

/** The newest changes of a transfer's screenings, oldest first. */
export const changesOf = async (sql: Sql, subject: string, limit: number): Promise<ScreeningChange[]> =>
  (await changes.all(sql, changes().where({ subject }).orderBy('number', 'desc').limit(limit))).reverse();

/** The latest versions that the party has reported, by key. */
export const versionsOf = async (sql: Sql, keys: readonly string[]) =>
  (await screenings.all(sql, screenings().where(anyOf('key', keys)))).map(({ key, version }) => ({
    ref: key,
    version,
  }));

export const findScreening = (sql: Sql, key: string): Promise<Screening | undefined> =>
  screenings.one(sql, screenings().where({ key }));

/** The screenings of a transfer, in the order in which they were asked for. */
export const screeningsOf = (sql: Sql, subject: string): Promise<Screening[]> =>
  screenings.all(sql, screenings().where({ subject }).orderBy('asked_at'));

/** The condition repeats the predicate of the partial index. */
const pending = (): Knex.QueryBuilder => screenings().whereRaw(`status = 'pending' and waits`);

const COLUMNS = {
  id: 'key',
  since: 'asked_at',
  tenantId: 'tenant_id',
  kind: 'direction',
  currency: 'asset',
} as const;

/** Lists screenings that a transfer waits for, oldest first. */
export const pendingScreenings = (sql: Sql, filter: WaitingFilter): Promise<Screening[]> =>
  screenings.all(
    sql,
    pending().modify((query) => waitingPage(query, COLUMNS, filter)),
  );

export const countPending = (sql: Sql) => countWaiting(sql, pending(), COLUMNS);

/** Counts screenings that a transfer waits for, by direction, with the age of the oldest. Counts up to 10,000, the oldest first. */
export const pendingByDirection = (sql: Sql) =>
  sql.query<{ direction: string; count: number; seconds: number }>(PENDING_BY_DIRECTION);

// Raw: bounds what it counts.
const PENDING_BY_DIRECTION = `
  select direction, count(*)::int as count,
         greatest(0, extract(epoch from product_now() - min(asked_at)))::float8 as seconds
    from (select direction, asked_at from screenings where status = 'pending' and waits order by asked_at, key limit 10000) oldest
   group by direction`;
