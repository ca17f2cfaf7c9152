import type { WorkflowCommand } from '../kernel/outbox/commands';
import { QUEUES } from '../kernel/outbox/queues';

/** Builds the ids of workflows. All commands about a record use one workflow id. */

type KeyPart = string | number;

export interface ProcessSpec<Item> {
  workflow: string;
  /** Start of the workflow's id, before the record's key. */
  prefix: string;
  /** One line for operators in Temporal's UI, without personal data. */
  summary: string | ((item: Item) => string);
  /** The workflow's arguments. Joined by `-`, they complete its id, so that each record has one workflow. */
  key(item: Item): KeyPart[];
}

export interface Process<Item> {
  /** Starts the workflow unless it runs. */
  start: (item: Item) => WorkflowCommand;
  /** Wakes the workflow, because its record has changed. An ended workflow starts again, looks once, and ends. */
  look: (item: Item) => WorkflowCommand;
  /** The record's key in a workflow's id. Undefined for the id of another process. */
  keyOf: (workflowId: string) => string | undefined;
}

/** Builds the commands of the workflow that drives each of these records to its end. */
export function processOf<Item extends { tenantId?: string | null }>(spec: ProcessSpec<Item>): Process<Item> {
  const { workflow, prefix, summary } = spec;
  function command(action: WorkflowCommand['action'], item: Item): WorkflowCommand {
    const args = spec.key(item);
    return {
      workflow,
      workflowId: prefix + args.join('-'),
      taskQueue: QUEUES.processes,
      action,
      args,
      ...(item.tenantId ? { tenantId: item.tenantId } : {}),
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
  tenantId: string | null;
}

/** A process whose key is the record's id. */
export const processOfRecord = <Item extends Driven = Driven>(
  spec: Omit<ProcessSpec<Item>, 'key'>,
): Process<Item> => processOf({ ...spec, key: ({ id }) => [id] });
