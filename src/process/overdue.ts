import type { Knex } from 'knex';
import { raw, table } from '../kernel/db/build';
import type { Sql } from '../kernel/db/database';
import type { WorkflowCommand } from '../kernel/outbox/commands';
import type { Reconcilable } from '../kernel/temporal/reconciler';
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

export interface ReconcilableSpec<Item> {
  /** For the log: `cards`. */
  name: string;
  /** Whose workflows drive these records. */
  processes: readonly Pick<Process<never>, 'keyOf'>[];
  /** The records that are overdue, the longest first. */
  overdue(sql: Sql, query: OverdueQuery): Promise<Item[]>;
  /** The command that drives one on. To start a workflow that runs after all has no effect on it. */
  drive(item: Item): WorkflowCommand;
}

/** Records whose workflow should have moved them by now: the reconciler drives them on, whatever Temporal has lost. */
export function reconcilable<Item>(spec: ReconcilableSpec<Item>): Reconcilable {
  const { name, processes, overdue, drive } = spec;
  return {
    name,
    async stale(sql, before, limit, exceptWorkflows) {
      const except = exceptWorkflows.flatMap((workflowId) => {
        const keys = processes.map(({ keyOf }) => keyOf(workflowId));
        return keys.find((key) => key !== undefined) ?? [];
      });
      return (await overdue(sql, { before, limit, except })).map(drive);
    },
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

/** The query for a table's overdue records. */
export function overdueIn<Row>(name: string, spec: DueSpec) {
  const { columns, dueBy = 'watched_until', open = 'true', key = 'id' } = spec;
  return (sql: Sql, { before, limit, except }: OverdueQuery): Promise<Row[]> =>
    sql.run<Row>(
      table(name)
        .select(columns)
        .whereRaw(`(${open})`)
        .where(dueBy, '<', before)
        .where(raw(`${key} <> all(?)`, [except as unknown as Knex.RawBinding]))
        .orderBy(dueBy)
        .limit(limit),
    );
}
