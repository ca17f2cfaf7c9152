import type { WorkflowCommand } from '../../kernel/outbox/commands';
import { QUEUES } from '../../kernel/outbox/queues';
import type { Reconcilable } from '../../kernel/temporal/reconciler';
import { forgottenCardholders } from './store';

const PREFIX = 'cardholder-submission-';

type Named = { id: string; tenantId: string };

export const startSubmission = (cardholder: Named) => command('start', cardholder);
/** Where it has ended it begins again. */
export const lookAtCardholder = (cardholder: Named) => command('look', cardholder);

function command(action: WorkflowCommand['action'], { id, tenantId }: Named): WorkflowCommand {
  return {
    workflow: 'cardholderSubmission',
    workflowId: PREFIX + id,
    taskQueue: QUEUES.processes,
    action,
    args: [id],
    tenantId,
    summary: 'Cardholder review and submission',
  };
}

/**
 * Cardholders that nobody watches: their workflow should have looked by now. One that waits for a person is looked at by
 * its own workflow, so that thousands of them do not come here. To start one that runs after all has no effect on it.
 */
export const cardholderProcesses: Reconcilable = {
  name: 'cardholders',
  async stale(sql, olderThan, limit, except) {
    const ids = except.flatMap((id) => (id.startsWith(PREFIX) ? [id.slice(PREFIX.length)] : []));
    return (await forgottenCardholders(sql, olderThan, limit, ids)).map(startSubmission);
  },
};
