import { anyOf } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import { recordTable } from '../../kernel/db/record-table';
import type { WaitingPlace } from '../../kernel/db/waiting';
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

/** A page, the newest first, served by `stops_in_order`. The id of a place is `kind:subject`. */
export function listStops(
  sql: Sql,
  { after, limit }: { after?: WaitingPlace | undefined; limit: number },
): Promise<Stop[]> {
  const query = stops().orderByRaw(`at desc, kind || ':' || subject desc`).limit(limit);
  if (after) void query.whereRaw(`(at, kind || ':' || subject) < (?, ?)`, [after.since, after.id]);
  return stops.all(sql, query);
}
