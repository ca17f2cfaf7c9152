import type { WorkflowCommand } from '../outbox/commands';
import { SHARDS } from '../outbox/events';
import { QUEUES } from '../outbox/queues';
import type { EndpointKey } from './rules';

/**
 * Tells an endpoint's recovery to look, which begins it where it does not run. Also when an endpoint begins to fail: a
 * mere start would be lost on a former recovery that is just ending.
 */
export function recoveryCommand(
  { tenantId, registration }: EndpointKey,
  action: 'start' | 'look' = 'look',
): WorkflowCommand {
  return {
    workflow: 'webhookRecovery',
    workflowId: `webhook-recovery-${tenantId}-${registration}`,
    taskQueue: QUEUES.webhooks,
    action,
    args: [{ tenantId, registration }],
    tenantId,
    summary: `Recovery of the ${registration} webhook`,
  };
}

/** Starts the dispatchers; given at every start of a worker, since one that runs is left alone. */
export function dispatcherCommands(): WorkflowCommand[] {
  return Array.from({ length: SHARDS }, (_, shard) => ({
    workflow: 'webhookDispatcher',
    workflowId: `webhook-dispatcher-${shard}`,
    taskQueue: QUEUES.webhooks,
    action: 'start' as const,
    args: [{ shard }],
    summary: `Delivers webhooks, shard ${shard} of ${SHARDS}`,
  }));
}
