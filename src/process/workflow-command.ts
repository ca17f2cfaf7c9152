import type { WorkflowCommand } from '../kernel/outbox/commands';
import { QUEUES } from '../kernel/outbox/queues';

/** Where a workflow's id is built: the workflow of a record is started, and told to look, under one id for ever. */

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

/** The usual process: its key is the record's id. */
export const processOfRecord = <Item extends Driven = Driven>(
  spec: Omit<ProcessSpec<Item>, 'key'>,
): Process<Item> => processOf({ ...spec, key: ({ id }) => [id] });
