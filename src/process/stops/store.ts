import { anyOf } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import { recordTable } from '../../kernel/db/record-table';
import type { Stop, StopKind } from './record';

const stops = recordTable<Stop>('stops', {}, ['kind', 'subject', 'tenantId', 'reason', 'stoppedBy', 'at']);

/** @returns false when the record is stopped already */
export async function insertStop(tx: Sql, stop: Stop): Promise<boolean> {
  const query = stops().insert(stops.row(stop)).onConflict(['kind', 'subject']).ignore();
  return (await tx.run(query.returning('subject'))).length === 1;
}

/** @returns the deleted stop */
export const deleteStop = (tx: Sql, kind: StopKind, subject: string) =>
  stops.writtenOne(tx, stops().where({ kind, subject }).delete());

/** The primary key serves it. */
export const findStops = (sql: Sql, kinds: readonly StopKind[], subject: string) =>
  stops.all(sql, stops().where(anyOf('kind', kinds)).where({ subject }));

/** The newest first. */
export const listStops = (sql: Sql, limit: number) =>
  stops.all(
    sql,
    stops()
      .orderBy([{ column: 'at', order: 'desc' }, 'kind', 'subject'])
      .limit(limit),
  );
