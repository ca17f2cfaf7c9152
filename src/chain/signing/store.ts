import { anyOf, NOW, raw, table } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import type { ListSignature, StoredList } from './allow-list';

const lists = () => table('allow_lists');
const signatures = () => table('allow_list_signatures');
const MACHINE_NOW = raw(`date_trunc('milliseconds', clock_timestamp())`);

/** The signing process's word on the list that counts. */
export const IN_FORCE = 'in force';

/** A list as operators see it. */
export interface ShownList extends StoredList {
  sequence: number;
  /** The signing process's word: that the list is in force, or why not. Null before it has looked. */
  verdict: string | null;
  judgedAt: Date | null;
  createdAt: Date;
}

type Row = Omit<ShownList, 'sequence' | 'signatures'> & { sequence: string };

/** The newest lists first. Older ones than `limit` are left out. */
export async function newestLists(sql: Sql, limit: number): Promise<ShownList[]> {
  const rows = await sql.run<Row>(
    lists()
      .orderBy([{ column: 'sequence', order: 'desc' }, { column: 'digest' }])
      .limit(limit),
  );
  const signed = await sql.run<ListSignature & { digest: string }>(
    signatures()
      .select('digest', 'operator', 'signature')
      .where(
        anyOf(
          'digest',
          rows.map(({ digest }) => digest),
        ),
      )
      .orderBy('createdAt'),
  );
  return rows.map((row) => ({
    ...row,
    sequence: Number(row.sequence),
    signatures: signed.filter(({ digest }) => digest === row.digest),
  }));
}

/** The highest sequence of any list, signed or not. 0 where there is none. */
export async function highestSequence(sql: Sql): Promise<number> {
  const [newest] = await sql.run<{ sequence: string }>(
    lists().select('sequence').orderBy('sequence', 'desc').limit(1),
  );
  return Number(newest?.sequence ?? 0);
}

/** Stores a list and a signature on it. Idempotent. */
export async function insertSigned(
  tx: Sql,
  { digest, sequence, body }: Pick<ShownList, 'digest' | 'sequence' | 'body'>,
  { operator, signature }: ListSignature,
): Promise<void> {
  await tx.run(lists().insert({ digest, sequence, body, createdAt: NOW }).onConflict('digest').ignore());
  await tx.run(
    signatures()
      .insert({ digest, operator, signature, createdAt: NOW })
      .onConflict(['digest', 'operator'])
      .merge(['signature']),
  );
}

export async function keepVerdict(sql: Sql, digest: string, verdict: string): Promise<void> {
  await sql.run(
    lists()
      .where({ digest })
      .where((either) => void either.whereNull('verdict').orWhereNot({ verdict }))
      .update({ verdict, judgedAt: MACHINE_NOW }),
  );
}
