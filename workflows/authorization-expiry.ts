import { continueAsNew, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { CardEventActivities } from '../activities/card-events';
import type { ExpiryPlace } from '../src/cards/events/expiry';

/** Five hundred transactions at most, heartbeating at each: silence for half a minute means that the worker is gone. */
const { expireDueAuthorizations } = proxyActivities<CardEventActivities>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '30 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
});

/**
 * Once a minute: cancels open authorizations whose validity has ended, in portions, until none is due. Each portion begins
 * where the one before has ended, so that those which cannot be expired are met once a run and the run comes to its end. A
 * long backlog goes on in a new run rather than in a long history.
 */
export async function authorizationExpiry(after: ExpiryPlace | null = null): Promise<void> {
  for (let place = after; ; ) {
    const portion = await expireDueAuthorizations(place);
    if (!portion.more) return;
    place = portion.after;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof authorizationExpiry>(place);
  }
}
