import type { WorkflowCommand } from '../../kernel/outbox/commands';
import { QUEUES } from '../../kernel/outbox/queues';
import type { Reconcilable } from '../../kernel/temporal/reconciler';
import type { ExternalCardKind } from './rules';
import { forgottenTransactions } from './store';

/** One workflow drives both kinds; its id says which. */
const PROCESSES = {
  topup: { prefix: 'card-topup-', summary: 'Top-up from a payment card' },
  withdrawal: { prefix: 'card-withdrawal-', summary: 'Withdrawal to a payment card' },
} as const;

type Named = { id: string; tenantId: string; kind: ExternalCardKind };

export const startTransfer = (transaction: Named) => command('start', transaction);
/** Where it has ended it begins again, looks once, and ends. */
export const lookAtTransfer = (transaction: Named) => command('look', transaction);

function command(action: WorkflowCommand['action'], { id, tenantId, kind }: Named): WorkflowCommand {
  const { prefix, summary } = PROCESSES[kind];
  return {
    workflow: 'externalCardTransfer',
    workflowId: prefix + id,
    taskQueue: QUEUES.processes,
    action,
    args: [id],
    tenantId,
    summary,
  };
}

function recordsOf(workflowIds: string[]): string[] {
  return workflowIds.flatMap((workflowId) => {
    const process = Object.values(PROCESSES).find(({ prefix }) => workflowId.startsWith(prefix));
    return process ? [workflowId.slice(process.prefix.length)] : [];
  });
}

/**
 * Top-ups and withdrawals that nobody watches: their workflow should have looked by now, or they have been completed for
 * days and may have gone back without a word.
 */
export const externalCardProcesses: Reconcilable = {
  name: 'external cards',
  stale: async (sql, olderThan, limit, except) =>
    (await forgottenTransactions(sql, olderThan, limit, recordsOf(except))).map(startTransfer),
};
