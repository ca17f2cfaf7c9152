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

/** What counts as stuck: a record that has not moved when it should have. The reconciler starts its workflow again. */

/** What the reconciler asks for. */
export interface OverdueQuery {
  /** Records that should have moved before this time. */
  before: Date;
  limit: number;
  /** Keys of records that were driven on lately: they must not crowd out the others. */
  except: string[];
}

/** The overdue records of a table. */
export interface OverdueIn<Row> {
  /** Those that the reconciler drives on, the longest overdue first. */
  due(sql: Sql, query: OverdueQuery): Promise<Row[]>;
  /** For people: the same of any age, each with its key and since when. @throws Problem 400 */
  list(
    sql: Sql,
    before: Date,
    filter: WaitingFilter,
  ): Promise<(Row & Omit<WaitingPlace, 'id'> & { key: string })[]>;
  count(sql: Sql, before: Date): Promise<WaitingCount>;
}

export interface ReconcilableSpec<Item> {
  /** For the log: `cards`. */
  name: string;
  /** Whose workflows drive these records. */
  processes: readonly Pick<Process<never>, 'keyOf'>[];
  overdue: OverdueIn<Item>;
  /** The command that drives one on. To start a workflow that runs after all has no effect on it. */
  drive(item: Item): WorkflowCommand;
}

/** A record that should have moved by now, as a person is shown it. */
export interface OverdueRecord extends WaitingPlace {
  /** The name of the records: `cards`. */
  what: string;
  tenantId: string | null;
  workflowId: string;
}

/** Records that the reconciler drives on, and that people can look at. */
export interface Watched extends Reconcilable {
  /** Those that should have moved before then. */
  records(sql: Sql, before: Date, filter: WaitingFilter): Promise<OverdueRecord[]>;
  count(sql: Sql, before: Date): Promise<WaitingCount>;
}

/** Records whose workflow should have moved them by now: the reconciler drives them on, whatever Temporal has lost. */
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
  /** The column that says when a record must have moved: `watched_until` when absent. */
  dueBy?: string;
  /** SQL: the records that must still move, in the words of the index that serves the query; all with a `dueBy` when absent. */
  open?: string;
  /** SQL: a record's key as its workflow's id has it; `id` when absent. */
  key?: string;
}

/** The queries for a table's overdue records. */
export function overdueIn<Row>(name: string, spec: DueSpec): OverdueIn<Row> {
  const { columns, dueBy = 'watched_until', open = 'true', key = 'id' } = spec;
  const before = (time: Date) => table(name).whereRaw(`(${open})`).where(dueBy, '<', time);
  const shown: WaitingColumns = {
    ...{ id: key, since: dueBy },
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
      if (filter.tenantId !== undefined && shown.tenantId === undefined) return []; // nobody's
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

/** What is counted of one process at most. */
const COUNTED = 1_000;

/** How many records the reconciler finds overdue, by what it calls them. */
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
