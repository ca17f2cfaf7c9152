import type { WorkflowCommand } from '../../kernel/outbox/commands';
import { QUEUES } from '../../kernel/outbox/queues';
import type { EndpointKey } from './record';

/** What a recovery's id begins with; tenant and registration follow. */
export const RECOVERY_ID = 'webhook-recovery-';

/**
 * Tells an endpoint's recovery to look, which begins it where it does not run. Also when an endpoint begins to fail: a
 * mere start would be lost on a former recovery that is just ending.
 */
export function recoveryCommand({ tenantId, registration }: EndpointKey): WorkflowCommand {
  return {
    workflow: 'webhookRecovery',
    workflowId: `${RECOVERY_ID}${tenantId}-${registration}`,
    taskQueue: QUEUES.webhooks,
    action: 'look',
    args: [{ tenantId, registration }],
    tenantId,
    summary: `Recovery of the ${registration} webhook`,
  };
}
