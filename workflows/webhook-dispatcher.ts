import {
  ActivityCancellationType,
  continueAsNew,
  proxyActivities,
  setCurrentDetails,
  workflowInfo,
} from '@temporalio/workflow';
import type { WebhookActivities } from '../activities/webhooks';

/** What a dispatcher is given; its id is `webhook-dispatcher-<shard>`. */
export interface WebhookDispatcherInput {
  shard: number;
}

/**
 * An attempt of the activity lasts ten minutes, and as long again to end what is under way. A worker that died is noticed
 * by its heartbeat.
 */
const { dispatchWebhooks } = proxyActivities<WebhookActivities>({
  startToCloseTimeout: '12 minutes',
  heartbeatTimeout: '15 seconds',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '1 second', backoffCoefficient: 1.5, maximumInterval: '10 seconds' },
});

/** Runs of the activity a history: a few hundred events, however many webhooks go out. */
const SLICES = 72;

/** Delivers the webhooks of one shard, for ever. Everything it knows is in Postgres; it may be ended at any time. */
export async function webhookDispatcher(input: WebhookDispatcherInput): Promise<void> {
  for (let slice = 0; slice < SLICES && !workflowInfo().continueAsNewSuggested; slice += 1) {
    const { delivered, failed } = await dispatchWebhooks(input.shard);
    setCurrentDetails(`In its last turn: ${delivered} delivered, ${failed} attempts failed.`);
  }
  await continueAsNew<typeof webhookDispatcher>(input);
}
