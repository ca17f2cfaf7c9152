import { raw } from '../../../kernel/db/build';
import type { Sql, Tx } from '../../../kernel/db/database';
import { recordTable } from '../../../kernel/db/record-table';
import type { MoneyParty } from '../../../kernel/outbox/queues';

/** A name that a party reported and no transfer has. Stored until its meaning is known. */
export interface ReportedName {
  firstReportedAt: Date;
  /** Time of the next lookup. Each report of the name sets a different one. */
  dueBy: Date;
}

const names = recordTable<ReportedName>('reported_names', {}, ['firstReportedAt', 'dueBy']);

/**
 * Locks names until the end of the transaction. A report of an unknown name and the step that learns the name exclude
 * each other, so that one of them sees the other. The order of the locks is fixed to avoid deadlocks.
 */
export async function lockNames(tx: Tx, party: MoneyParty, refs: readonly string[]): Promise<void> {
  await tx.prepared(
    'names-hold',
    `select pg_advisory_xact_lock(name)
       from (select hashtextextended(concat_ws(' ', $1::text, ref), 99) as name from unnest($2::text[]) as ref order by 1) names`,
    [party, refs],
  );
}

/** Makes names due for a lookup now. A name that is reported again keeps its first time. */
export async function storeReportedNames(
  tx: Tx,
  party: MoneyParty,
  refs: readonly string[],
  at: Date,
): Promise<void> {
  if (refs.length === 0) return;
  const rows = [...refs].sort().map((ref) => ({ party, ref, firstReportedAt: at, dueBy: at }));
  const sooner = raw(`least(reported_names.due_by - interval '1 millisecond', excluded.due_by)`);
  await tx.run(names().insert(rows).onConflict(['party', 'ref']).merge({ dueBy: sooner }));
}

export const reportedName = (sql: Sql, party: MoneyParty, ref: string): Promise<ReportedName | undefined> =>
  names.one(sql, names().where({ party, ref }));

/**
 * Schedules the next lookup, unless the name was reported again meanwhile.
 * @param seen the row before the lookup; absent where there was none
 */
export async function scheduleLookup(
  sql: Sql,
  { party, ref, firstReportedAt, dueBy }: ReportedName & { party: MoneyParty; ref: string },
  seen: ReportedName | undefined,
): Promise<void> {
  const row = names().insert({ party, ref, firstReportedAt, dueBy }).onConflict(['party', 'ref']);
  await sql.run(seen ? row.merge(['dueBy']).where('reported_names.due_by', seen.dueBy) : row.ignore());
}

/** Removes the name that a transfer has learnt. @returns whether the party had reported it before */
export async function claimName(tx: Tx, party: MoneyParty, ref: string): Promise<boolean> {
  // One round trip. The second statement runs under the lock of the first, so it sees earlier reports.
  const [, rows] = await Promise.all([
    lockNames(tx, party, [ref]),
    tx.run(names().where({ party, ref }).delete().returning('ref')),
  ]);
  return rows.length > 0;
}

/** Removes a name whose meaning is known, unless it was reported again meanwhile. */
export async function forgetName(
  sql: Sql,
  { party, ref }: { party: MoneyParty; ref: string },
  seen: ReportedName | undefined,
): Promise<void> {
  if (seen) await sql.run(names().where({ party, ref, dueBy: seen.dueBy }).delete());
}

const SECOND_MS = 1_000;
const HOUR_MS = 3_600 * SECOND_MS;

/** Time of the next lookup: first after five seconds, then after the time waited so far, at most an hour. */
export function askAgainAt({ firstReportedAt }: Pick<ReportedName, 'firstReportedAt'>, at: Date): Date {
  const waited = Math.max(0, at.getTime() - firstReportedAt.getTime());
  return new Date(at.getTime() + Math.min(waited + 5 * SECOND_MS, HOUR_MS));
}
