import { table } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import type { Stop, StopKind } from './record';

const COLUMNS = ['kind', 'subject', 'tenantId', 'reason', 'stoppedBy', 'at'] as const;

const stops = () => table('stops');

/** @returns false when the record is stopped already */
export async function insertStop(tx: Sql, stop: Stop): Promise<boolean> {
  const rows = await tx.run(
    stops()
      .insert({ ...stop })
      .onConflict(['kind', 'subject'])
      .ignore()
      .returning('subject'),
  );
  return rows.length === 1;
}

/** @returns the deleted stop */
export async function deleteStop(tx: Sql, kind: StopKind, subject: string): Promise<Stop | undefined> {
  const [row] = await tx.run<Stop>(stops().where({ kind, subject }).delete().returning(COLUMNS));
  return row;
}

/** The newest first. */
export const listStops = (sql: Sql, limit: number): Promise<Stop[]> =>
  sql.run<Stop>(
    stops()
      .select(COLUMNS)
      .orderBy([{ column: 'at', order: 'desc' }, 'kind', 'subject'])
      .limit(limit),
  );
