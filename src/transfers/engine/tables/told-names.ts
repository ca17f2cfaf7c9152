import { raw, table } from '../../../kernel/db/build';
import type { Sql, Tx } from '../../../kernel/db/database';
import type { MoneyParty } from '../../../kernel/outbox/queues';

/** A party's name for something that no transfer has: kept until it is known what it is. */
export interface ToldName {
  firstToldAt: Date;
  /** Another each time that the party tells of it. */
  dueBy: Date;
}

const names = () => table('told_names');

/**
 * To the end of the transaction: whoever tells of a name that no transfer has, and the step in which a transfer learns it, go
 * one after the other, so that one of them sees the other. Held in one order by all.
 */
export async function holdNames(tx: Tx, party: MoneyParty, refs: readonly string[]): Promise<void> {
  await tx.prepared(
    'names-hold',
    `select pg_advisory_xact_lock(name)
       from (select hashtextextended(concat_ws(' ', $1::text, ref), 99) as name from unnest($2::text[]) as ref order by 1) names`,
    [party, refs],
  );
}

/** They are to be looked into now. A name that is told again keeps its first time. */
export async function tellNames(tx: Tx, party: MoneyParty, refs: readonly string[], at: Date): Promise<void> {
  if (refs.length === 0) return;
  const rows = [...refs].sort().map((ref) => ({ party, ref, firstToldAt: at, dueBy: at }));
  const sooner = raw(`least(told_names.due_by - interval '1 millisecond', excluded.due_by)`);
  await tx.run(names().insert(rows).onConflict(['party', 'ref']).merge({ dueBy: sooner }));
}

export async function toldName(sql: Sql, party: MoneyParty, ref: string): Promise<ToldName | undefined> {
  const [row] = await sql.run<ToldName>(names().select('firstToldAt', 'dueBy').where({ party, ref }));
  return row;
}

/**
 * It is asked for again: later, unless it was told again meanwhile.
 * @param seen as it was before it was asked for; absent where it did not stand here
 */
export async function keepName(
  sql: Sql,
  { party, ref, firstToldAt, dueBy }: ToldName & { party: MoneyParty; ref: string },
  seen: ToldName | undefined,
): Promise<void> {
  const row = names().insert({ party, ref, firstToldAt, dueBy }).onConflict(['party', 'ref']);
  await sql.run(seen ? row.merge(['dueBy']).where('told_names.due_by', seen.dueBy) : row.ignore());
}

/** A transfer has learnt that it is its own. @returns whether it had been told */
export async function claimName(tx: Tx, party: MoneyParty, ref: string): Promise<boolean> {
  // One way there and back: the second is run when the first has got its lock, and sees what was told before that.
  const [, rows] = await Promise.all([
    holdNames(tx, party, [ref]),
    tx.run(names().where({ party, ref }).delete().returning('ref')),
  ]);
  return rows.length > 0;
}

/** It is known what it is, unless it was told again meanwhile. */
export async function forgetName(
  sql: Sql,
  { party, ref }: { party: MoneyParty; ref: string },
  seen: ToldName | undefined,
): Promise<void> {
  if (seen) await sql.run(names().where({ party, ref, dueBy: seen.dueBy }).delete());
}

const SECOND_MS = 1_000;
const HOUR_MS = 3_600 * SECOND_MS;

/** When one that could not be made out is asked for again: soon, then after as long again as it has waited, an hour at most. */
export function askAgainAt({ firstToldAt }: Pick<ToldName, 'firstToldAt'>, at: Date): Date {
  const waited = Math.max(0, at.getTime() - firstToldAt.getTime());
  return new Date(at.getTime() + Math.min(waited + 5 * SECOND_MS, HOUR_MS));
}
