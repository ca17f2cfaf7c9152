import type { WorkflowCommand } from '../../kernel/outbox/commands';
import { QUEUES } from '../../kernel/outbox/queues';
import type { EndpointKey } from './record';

/** Prefix of a recovery's workflow id. Tenant and registration follow. */
export const RECOVERY_ID = 'webhook-recovery-';

/**
 * Command that tells an endpoint's recovery to look, and starts it if it does not run. Used for new failures too,
 * because a mere start would be lost on an earlier recovery that is just ending.
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
