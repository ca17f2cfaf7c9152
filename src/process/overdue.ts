import type { Knex } from 'knex';
import { raw, table } from '../kernel/db/build';
import type { Sql } from '../kernel/db/database';
import type { WorkflowCommand } from '../kernel/outbox/commands';
import { QUEUES } from '../kernel/outbox/queues';
import type { Reconcilable } from '../kernel/temporal/reconciler';

/**
 * What every long process shares: the workflow of a record is started and told to look, and a record that has not moved
 * when it should have is started again.
 */

type KeyPart = string | number;

export interface ProcessSpec<Item> {
  /** The workflow's type. */
  workflow: string;
  /** What the workflow's id begins with; the record's key follows. */
  prefix: string;
  /** One line for the operator who reads Temporal's UI; no personal data. */
  summary: string | ((item: Item) => string);
  /** The workflow's arguments. Joined by `-` they end its id, so that a record has one workflow. */
  key(item: Item): KeyPart[];
}

export interface Process<Item> {
  /** Begins the workflow, unless it runs. */
  start: (item: Item) => WorkflowCommand;
  /** Tells the workflow that its record has changed. Where it has ended it begins again, looks once, and ends. */
  look: (item: Item) => WorkflowCommand;
  /** The record's key, joined, out of a workflow's id; nothing for another process's. */
  keyOf: (workflowId: string) => string | undefined;
}

/** The workflow that drives each of these records to its end. */
export function processOf<Item extends { tenantId?: string }>(spec: ProcessSpec<Item>): Process<Item> {
  const { workflow, prefix, summary } = spec;
  function command(action: WorkflowCommand['action'], item: Item): WorkflowCommand {
    const args = spec.key(item);
    return {
      workflow,
      workflowId: prefix + args.join('-'),
      taskQueue: QUEUES.processes,
      action,
      args,
      ...(item.tenantId === undefined ? {} : { tenantId: item.tenantId }),
      summary: typeof summary === 'string' ? summary : summary(item),
    };
  }
  return {
    start: (item) => command('start', item),
    look: (item) => command('look', item),
    keyOf: (workflowId) => (workflowId.startsWith(prefix) ? workflowId.slice(prefix.length) : undefined),
  };
}

/** A record that a workflow drives. */
export interface Driven {
  id: string;
  tenantId: string;
}

/** The usual process: its key is the record's id. */
export const processOfRecord = <Item extends Driven = Driven>(
  spec: Omit<ProcessSpec<Item>, 'key'>,
): Process<Item> => processOf({ ...spec, key: ({ id }) => [id] });

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
