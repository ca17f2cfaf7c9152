import type { Client } from '@temporalio/client';
import type { Database } from '../../../src/kernel/db/database';
import { createCommands, type HandOver, type WorkflowCommand } from '../../../src/kernel/outbox/commands';

export const nobody: HandOver = () => undefined;

/** A command for a workflow without workers, which stays as it was started. */
export function command(workflowId: string, given: Partial<WorkflowCommand> = {}): WorkflowCommand {
  return {
    workflow: 'waits',
    workflowId,
    taskQueue: 'nobody',
    action: 'start',
    args: [{ id: workflowId }],
    ...given,
  };
}

/** Commits commands as an operation does. */
export function commit(database: Database, commands: WorkflowCommand[], handOver = nobody): Promise<void> {
  return database.transaction(async (tx) => createCommands(handOver).append(tx, commands));
}

/** Ends all leases, as if their time had passed. */
export async function endLeases(database: Database): Promise<void> {
  await database.query(`update workflow_commands set leased_until = now() - interval '1 second'`);
}

export async function rows(database: Database): Promise<{ workflow_id: string; attempts: number }[]> {
  return database.query('select workflow_id, attempts from workflow_commands order by number');
}

export async function runs(client: Client, workflowId: string): Promise<boolean> {
  return client.workflow
    .getHandle(workflowId)
    .describe()
    .then(
      ({ status }) => status.name === 'RUNNING',
      () => false,
    );
}
