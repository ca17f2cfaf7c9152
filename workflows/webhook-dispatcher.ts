import { ActivityCancellationType, continueAsNew, workflowInfo } from '@temporalio/workflow';
import type { WebhookActivities } from '../activities/webhooks';
import { FOLLOWING, SLICES } from './support/slices';
import { showTurn } from './support/status';
import { steps } from './support/steps';

/** Input of a dispatcher. Its id is `webhook-dispatcher-<shard>`. */
export interface WebhookDispatcherInput {
  shard: number;
}

/**
 * An activity runs four hours and has two more minutes to finish its attempts under way. A missing heartbeat shows that
 * the worker has died.
 */
const { dispatchWebhooks } = steps<Pick<WebhookActivities, 'dispatchWebhooks'>>(
  {
    startToCloseTimeout: FOLLOWING,
    heartbeatTimeout: '15 seconds',
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: { initialInterval: '1 second', backoffCoefficient: 1.5, maximumInterval: '10 seconds' },
  },
  { dispatchWebhooks: (shard) => `deliver the webhooks of shard ${shard} for four hours` },
);

/**
 * Delivers the webhooks of one shard and never ends. It may be stopped at any time, because its state is in Postgres.
 */
export async function webhookDispatcher(input: WebhookDispatcherInput): Promise<void> {
  showTurn(`Delivers the webhooks of shard ${input.shard}.`);
  for (let slice = 0; slice < SLICES && !workflowInfo().continueAsNewSuggested; slice += 1) {
    const { delivered, failed } = await dispatchWebhooks(input.shard);
    showTurn(`Shard ${input.shard}, in its last turn: ${delivered} delivered, ${failed} attempts failed.`);
  }
  await continueAsNew<typeof webhookDispatcher>(input);
}
