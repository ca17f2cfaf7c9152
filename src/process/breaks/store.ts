import { anyOf, table } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import { Decimal } from '../../kernel/money/money';
import type { Break } from './record';

type Row = Omit<Break, 'amount'> & { amount: string | null };

const COLUMNS = [
  ...['id', 'tenantId', 'kind', 'subject', 'detail', 'amount', 'currency'],
  ...['createdAt', 'resolvedAt', 'resolvedBy', 'note'],
];

const breaks = () => table('breaks');

const breakOf = (row: Row): Break => ({
  ...row,
  amount: row.amount === null ? null : new Decimal(row.amount),
});

export async function insertBreak(
  tx: Sql,
  given: Pick<Break, 'id' | 'tenantId' | 'kind' | 'subject' | 'detail' | 'amount' | 'currency'>,
): Promise<Break> {
  const [row] = await tx.run<Row>(
    breaks()
      .insert({ ...given, amount: given.amount?.toFixed() ?? null })
      .onConflict(['kind', 'subject', 'detail'])
      .merge(['detail']) // changes nothing: it makes the one that exists come back
      .returning(COLUMNS),
  );
  return breakOf(row as Row);
}

/** Holds the row to the end of the transaction. */
export async function lockBreak(tx: Sql, id: string): Promise<Break | undefined> {
  const [row] = await tx.run<Row>(breaks().select(COLUMNS).where({ id }).forNoKeyUpdate());
  return row && breakOf(row);
}

/** The oldest first. @param all the resolved ones too */
export async function listBreaks(sql: Sql, all: boolean, limit: number): Promise<Break[]> {
  const query = breaks().select(COLUMNS).orderBy(['createdAt', 'id']).limit(limit);
  if (!all) void query.whereNull('resolvedAt');
  return (await sql.run<Row>(query)).map(breakOf);
}

export async function resolve(
  tx: Sql,
  { id, note, resolvedBy, at }: { id: string; note: string; resolvedBy: string; at: Date },
): Promise<Break> {
  const [row] = await tx.run<Row>(
    breaks().where({ id }).update({ note, resolvedBy, resolvedAt: at }).returning(COLUMNS),
  );
  return breakOf(row as Row);
}

export async function openBreaksOf(sql: Sql, subject: string): Promise<Break[]> {
  const rows = await sql.run<Row>(breaks().select(COLUMNS).where({ subject }).whereNull('resolvedAt'));
  return rows.map(breakOf);
}

/** Opens it, or what there is of it again, with the amount that it has now. */
export async function reopenBreak(
  tx: Sql,
  given: Pick<Break, 'id' | 'tenantId' | 'kind' | 'subject' | 'detail' | 'amount' | 'currency'>,
): Promise<void> {
  await tx.run(
    breaks()
      .insert({
        ...given,
        amount: given.amount?.toFixed() ?? null,
        resolvedAt: null,
        resolvedBy: null,
        note: null,
      })
      .onConflict(['kind', 'subject', 'detail'])
      .merge(['amount', 'currency', 'resolvedAt', 'resolvedBy', 'note']),
  );
}

export async function closeBreaks(
  tx: Sql,
  { ids, note, resolvedBy, at }: { ids: string[]; note: string; resolvedBy: string; at: Date },
): Promise<void> {
  if (ids.length === 0) return;
  await tx.run(breaks().where(anyOf('id', ids)).update({ note, resolvedBy, resolvedAt: at }));
}

/** The open ones of a subject, of those kinds. */
export async function closePassed(
  tx: Sql,
  given: { subject: string; kinds: readonly string[]; note: string; resolvedBy: string; at: Date },
): Promise<void> {
  const { subject, kinds, note, resolvedBy, at } = given;
  await tx.run(
    breaks()
      .where({ subject })
      .where(anyOf('kind', kinds))
      .whereNull('resolvedAt')
      .update({ note, resolvedBy, resolvedAt: at }),
  );
}
