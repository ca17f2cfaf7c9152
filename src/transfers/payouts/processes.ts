import type { WorkflowCommand } from '../../kernel/outbox/commands';
import { QUEUES } from '../../kernel/outbox/queues';
import type { Reconcilable } from '../../kernel/temporal/reconciler';
import { forgottenPayouts } from './store';

const PREFIX = 'payout-lifecycle-';

type Named = { id: string; tenantId: string };

export const startLifecycle = (payout: Named) => command('start', payout);
/** Where it has ended it begins again, looks once, and ends. */
export const lookAtPayout = (payout: Named) => command('look', payout);

function command(action: WorkflowCommand['action'], { id, tenantId }: Named): WorkflowCommand {
  return {
    workflow: 'payoutLifecycle',
    workflowId: PREFIX + id,
    taskQueue: QUEUES.processes,
    action,
    args: [id],
    tenantId,
    summary: 'Payout',
  };
}

/**
 * Payouts that nobody watches: their workflow should have looked by now, or they have been completed for days and may
 * have come back without a word. To start one that runs after all has no effect on it.
 */
export const payoutProcesses: Reconcilable = {
  name: 'payouts',
  async stale(sql, olderThan, limit, except) {
    const ids = except.flatMap((id) => (id.startsWith(PREFIX) ? [id.slice(PREFIX.length)] : []));
    return (await forgottenPayouts(sql, olderThan, limit, ids)).map(startLifecycle);
  },
};
