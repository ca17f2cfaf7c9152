import { table } from '../db/build';
import type { Statement, Tx } from '../db/database';
import { presentTrace } from '../tracing/trace';

/**
 * A command to Temporal. `start` starts the workflow unless it runs. `look` signals that the record has changed, and
 * starts the workflow if it does not run. Commands carry ids only, because a workflow reads its record.
 */
export interface WorkflowCommand {
  workflow: string;
  /** Derived from the record's id (`card-issuance-card_01h…`), so that a repeated command has one effect. */
  workflowId: string;
  taskQueue: string;
  action: 'start' | 'look';
  /** Ids only. */
  args: unknown[];
  tenantId?: string;
  /** Delay after the commit, in which the command can be withdrawn. */
  afterSeconds?: number;
  /** One line for operators in Temporal's UI, without personal data. */
  summary?: string;
}

export interface NumberedCommand extends WorkflowCommand {
  number: string;
  attempts: number;
  /** Trace of the request that caused the command, where traces are on. */
  traceparent?: string | null | undefined;
}

export interface HandedCommand extends NumberedCommand {
  /** By `performance.now()`, and before the lease of {@link HAND_OVER_SECONDS} began. */
  appendedAt: number;
}

/** Hands committed commands to Temporal at once. The relay sends those that could not be handed over. */
export type HandOver = (commands: HandedCommand[]) => void;

/** Passed to operations that start workflows. One per process. */
export interface Commands {
  /** Appends commands in the transaction, with its commit. */
  append(tx: Tx, commands: WorkflowCommand[]): void;
  /** Deletes the waiting commands of a workflow. */
  withdraw(tx: Tx, workflowId: string): Promise<void>;
}

/** Lease of the committing process, before the relay may take the command. Long enough to work off a burst in order. */
export const HAND_OVER_SECONDS = 20;

/** @param handOver absent in a process that leaves all commands to the relay, which then takes them without delay */
export function createCommands(handOver?: HandOver): Commands {
  return {
    append(tx, commands) {
      if (commands.length === 0) return;
      let numbers: string[] = [];
      const appendedAt = performance.now();
      const traceparent = presentTrace();
      tx.defer<{ number: string }>(
        insertion(commands, handOver ? HAND_OVER_SECONDS : 0, traceparent),
        (rows) => {
          numbers = rows.map(({ number }) => number);
        },
      );
      if (!handOver) return;
      tx.afterCommit(() =>
        handOver(
          commands.map((command, index) => ({
            ...command,
            number: numbers[index] ?? '',
            attempts: 0,
            traceparent,
            appendedAt,
          })),
        ),
      );
    },
    async withdraw(tx, workflowId) {
      await tx.run(table('workflow_commands').where({ workflowId }).delete());
    },
  };
}

const insertion = (
  commands: WorkflowCommand[],
  leaseSeconds: number,
  traceparent: string | undefined,
): Statement => ({
  name: 'commands-append',
  text: `insert into workflow_commands (workflow, workflow_id, task_queue, action, args, tenant_id, summary, traceparent,
                                     leased_until)
     select c.workflow, c.workflow_id, c.task_queue, c.action, c.args, c.tenant_id, c.summary, c.traceparent,
            clock_timestamp() + make_interval(secs => coalesce(c.after_seconds, $2))
       from jsonb_to_recordset($1::jsonb) as c(workflow text, workflow_id text, task_queue text, action text, args jsonb,
              tenant_id id, summary text, traceparent text, after_seconds double precision)
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
        traceparent,
        after_seconds: command.afterSeconds,
      })),
    ),
    leaseSeconds,
  ],
});
