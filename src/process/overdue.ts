import type { Knex } from 'knex';
import { raw, table } from '../kernel/db/build';
import type { Sql } from '../kernel/db/database';
import {
  countWaiting,
  type WaitingColumns,
  type WaitingCount,
  type WaitingFilter,
  type WaitingPlace,
  waitingPage,
} from '../kernel/db/waiting';
import { sample } from '../kernel/metrics/definitions';
import type { Reading } from '../kernel/metrics/readings';
import type { WorkflowCommand } from '../kernel/outbox/commands';
import type { Reconcilable } from '../kernel/temporal/reconciler';
import { STALE_MS } from '../kernel/temporal/stale';
import type { Process } from './workflow-command';

/**
 * Finds stuck records: those past the time by which they should have moved. The reconciler starts their workflows
 * again.
 */

export interface OverdueQuery {
  /** Finds records that should have moved before this time. */
  before: Date;
  limit: number;
  /** Keys of records that were restarted lately. They are skipped, so that they do not crowd out the others. */
  except: string[];
}

/** The overdue records of a table. */
export interface OverdueIn<Row> {
  /** The records for the reconciler, the longest overdue first. */
  due(sql: Sql, query: OverdueQuery): Promise<Row[]>;
  /** The same records for people, with key and due time, without a limit of age. @throws Problem 400 */
  list(
    sql: Sql,
    before: Date,
    filter: WaitingFilter,
  ): Promise<(Row & Omit<WaitingPlace, 'id'> & { key: string })[]>;
  count(sql: Sql, before: Date): Promise<WaitingCount>;
}

export interface ReconcilableSpec<Item> {
  /** Name in the log: `cards`. */
  name: string;
  /** The workflows that drive these records. */
  processes: readonly Pick<Process<never>, 'keyOf'>[];
  overdue: OverdueIn<Item>;
  /** The command that restarts a record's workflow. It has no effect on a running one. */
  drive(item: Item): WorkflowCommand;
}

/** An overdue record, as people see it. */
export interface OverdueRecord extends WaitingPlace {
  /** Name of the kind of record: `cards`. */
  what: string;
  tenantId: string | null;
  workflowId: string;
}

/** Records that the reconciler restarts and that people can list. */
export interface Watched extends Reconcilable {
  /** The records that should have moved before that time. */
  records(sql: Sql, before: Date, filter: WaitingFilter): Promise<OverdueRecord[]>;
  count(sql: Sql, before: Date): Promise<WaitingCount>;
}

/** Makes a reconciler of overdue records, which restarts their workflows even if Temporal has lost everything. */
export function reconcilable<Item>(spec: ReconcilableSpec<Item>): Watched {
  const { name, processes, overdue, drive } = spec;
  return {
    name,
    async stale(sql, before, limit, exceptWorkflows) {
      const except = exceptWorkflows.flatMap((workflowId) => {
        const keys = processes.map(({ keyOf }) => keyOf(workflowId));
        return keys.find((key) => key !== undefined) ?? [];
      });
      return (await overdue.due(sql, { before, limit, except })).map(drive);
    },
    async records(sql, before, filter) {
      return (await overdue.list(sql, before, filter)).map((row) => {
        const { tenantId = null, workflowId } = drive(row);
        return { id: row.key, what: name, tenantId, since: row.since, workflowId };
      });
    },
    count: (sql, before) => overdue.count(sql, before),
  };
}

export interface DueSpec {
  columns: readonly string[];
  /** The column with the time by which a record must have moved. Default: `watched_until`. */
  dueBy?: string;
  /** SQL: the records that must still move, as the query's index says it. Default: all with a `dueBy`. */
  open?: string;
  /** SQL: the key of a record in its workflow's id. Default: `id`. */
  key?: string;
}

/** The queries for a table's overdue records. */
export function overdueIn<Row>(name: string, spec: DueSpec): OverdueIn<Row> {
  const { columns, dueBy = 'watched_until', open = 'true', key = 'id' } = spec;
  const before = (time: Date) => table(name).whereRaw(`(${open})`).where(dueBy, '<', time);
  const shown: WaitingColumns = {
    id: key,
    since: dueBy,
    ...(columns.includes('tenantId') ? { tenantId: 'tenant_id' } : {}),
  };
  return {
    due: (sql, { before: time, limit, except }) =>
      sql.run<Row>(
        before(time)
          .select(columns)
          .where(raw(`${key} <> all(?)`, [except as unknown as Knex.RawBinding]))
          .orderBy(dueBy)
          .limit(limit),
      ),
    async list(sql, time, filter) {
      if (filter.tenantId !== undefined && shown.tenantId === undefined) return []; // the records have no tenant
      return sql.run(
        before(time)
          .select(columns)
          .select(raw(`${key} as key`), raw(`${dueBy} as since`))
          .modify(waitingPage, shown, filter),
      );
    },
    count: (sql, time) => countWaiting(sql, before(time), shown),
  };
}

/** Limit of a count of one kind. */
const COUNTED = 1_000;

/** The number of overdue records by kind. */
export const overdueReading = (reconcilables: readonly Reconcilable[], now: () => Date): Reading => ({
  name: 'overdue',
  gauges: ['records_overdue'],
  async read(sql) {
    const samples = [];
    for (const { name, stale } of reconcilables) {
      const found = await stale(sql, new Date(now().getTime() - STALE_MS), COUNTED, []);
      samples.push(sample('records_overdue', { process: name }, found.length));
    }
    return samples;
  },
});
