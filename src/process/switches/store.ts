import type { Sql } from '../../kernel/db/database';
import { recordTable } from '../../kernel/db/record-table';

/** A capability, for one tenant or for all, or a party. */
export interface Switch {
  kind: 'capability' | 'party';
  /** By the names of the interface or of the command line: `payout`, `external-cards`. */
  name: string;
  /** Null: for all tenants. */
  tenantId: string | null;
}

/** A switch that is off, with time, actor and reason. */
export interface SwitchedOff extends Switch {
  offAt: Date;
  offBy: string;
  offReason: string;
}

const switches = recordTable<SwitchedOff>('switches', {}, [
  'kind',
  'name',
  'tenantId',
  'offAt',
  'offBy',
  'offReason',
]);

/** The switches that are off now, the longest first. */
export const readSwitchedOff = (sql: Sql) => switches.all(sql, switches().whereNull('onAt').orderBy('id'));

/** @returns whether it was on before */
export async function insertOff(sql: Sql, off: SwitchedOff): Promise<boolean> {
  const query = switches().insert(switches.row(off)).onConflict().ignore();
  return (await sql.run(query.returning('id'))).length > 0;
}

/** @returns since when it was off; undefined where it was on */
export async function endOff(
  sql: Sql,
  { kind, name, tenantId }: Switch,
  { at, by, reason }: { at: Date; by: string; reason: string },
): Promise<Date | undefined> {
  const [ended] = await sql.run<{ offAt: Date }>(
    switches()
      .where({ kind, name, tenantId })
      .whereNull('onAt')
      .update({ onAt: at, onBy: by, onReason: reason })
      .returning('offAt'),
  );
  return ended?.offAt;
}
