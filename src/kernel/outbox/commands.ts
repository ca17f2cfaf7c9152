import { table } from '../db/build';
import type { Statement, Tx } from '../db/database';

/**
 * What Temporal is to be told. `start` begins the workflow unless it runs already; `look` signals it that its record
 * has changed, and begins it where it does not run. Neither carries data: a workflow reads its record.
 */
export interface WorkflowCommand {
  workflow: string;
  /** Derived from the record's id (`card-issuance-card_01h…`), so that a command taken twice has one effect. */
  workflowId: string;
  taskQueue: string;
  action: 'start' | 'look';
  /** Ids only. */
  args: unknown[];
  tenantId?: string;
  /** Told no sooner than so long after the commit: it may be withdrawn till then. */
  afterSeconds?: number;
  /** One line for the operator who reads the workflow in Temporal's UI; no personal data. */
  summary?: string;
}

export interface NumberedCommand extends WorkflowCommand {
  number: string;
  attempts: number;
}

/** Hands commands over as soon as they are committed; what it cannot hand over the relay takes later. */
export type HandOver = (commands: NumberedCommand[]) => void;

/** One a process, given to the operations that start workflows. */
export interface Commands {
  /** Appends commands inside a transaction, with its commit. */
  append(tx: Tx, commands: WorkflowCommand[]): void;
  /** What waits to be told of a workflow need not be told any more. */
  withdraw(tx: Tx, workflowId: string): Promise<void>;
}

/** How long the committing process has a command for itself before the relay takes it: in that time it works off a burst in order. */
export const HAND_OVER_SECONDS = 20;

/** @param handOver absent in a process that leaves all of it to the relay, which then need not wait for it */
export function createCommands(handOver?: HandOver): Commands {
  return {
    append(tx, commands) {
      if (commands.length === 0) return;
      let numbers: string[] = [];
      tx.defer<{ number: string }>(insertion(commands, handOver ? HAND_OVER_SECONDS : 0), (rows) => {
        numbers = rows.map(({ number }) => number);
      });
      if (!handOver) return;
      tx.afterCommit(() =>
        handOver(
          commands.map((command, index) => ({ ...command, number: numbers[index] ?? '', attempts: 0 })),
        ),
      );
    },
    async withdraw(tx, workflowId) {
      await tx.run(table('workflow_commands').where({ workflowId }).delete());
    },
  };
}

const insertion = (commands: WorkflowCommand[], leaseSeconds: number): Statement => ({
  text: `insert into workflow_commands (workflow, workflow_id, task_queue, action, args, tenant_id, summary, leased_until)
     select c.workflow, c.workflow_id, c.task_queue, c.action, c.args, c.tenant_id, c.summary,
            clock_timestamp() + make_interval(secs => coalesce(c.after_seconds, $2))
       from jsonb_to_recordset($1::jsonb) as c(workflow text, workflow_id text, task_queue text, action text, args jsonb,
              tenant_id id, summary text, after_seconds double precision)
     returning number`,
  values: [
    JSON.stringify(
      commands.map((command) => ({
        workflow: command.workflow,
        workflow_id: command.workflowId,
        task_queue: command.taskQueue,
        action: command.action,
        args: command.args,
        tenant_id: command.tenantId,
        summary: command.summary,
        after_seconds: command.afterSeconds,
      })),
    ),
    leaseSeconds,
  ],
});
