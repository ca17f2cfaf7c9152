import { continueAsNew, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { CardEventActivities } from '../activities/card-events';
import type { ExpiryPlace } from '../src/cards/events/expiry';

/** At most 500 transactions, with a heartbeat at each. No heartbeat for 30 seconds means that the worker has died. */
const { expireDueAuthorizations } = proxyActivities<CardEventActivities>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '30 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
});

/**
 * Releases the holds of expired authorizations, in batches. A schedule starts it once a minute. Each batch begins after
 * the last authorization of the previous one, so that a failing authorization is tried once a run and the run ends.
 */
export async function authorizationExpiry(after: ExpiryPlace | null = null): Promise<void> {
  for (let place = after; ; ) {
    const portion = await expireDueAuthorizations(place);
    if (!portion.more) return;
    place = portion.after;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof authorizationExpiry>(place);
  }
}
