import { continueAsNew, workflowInfo } from '@temporalio/workflow';
import type { CardEventActivities } from '../activities/card-events';
import type { ExpiryPlace } from '../src/cards/events/expiry';
import { showTurn } from './support/status';
import { steps } from './support/steps';

/** At most 500 transactions, with a heartbeat at each. No heartbeat for 30 seconds means that the worker has died. */
const { expireDueAuthorizations } = steps<Pick<CardEventActivities, 'expireDueAuthorizations'>>(
  {
    startToCloseTimeout: '10 minutes',
    heartbeatTimeout: '30 seconds',
    retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
  },
  { expireDueAuthorizations: 'release the holds of expired authorizations, a batch' },
);

/**
 * Releases the holds of expired authorizations, in batches. A schedule starts it when some have expired. Each batch begins after
 * the last authorization of the previous one, so that a failing authorization is tried once a run and the run ends.
 */
export async function authorizationExpiry(after: ExpiryPlace | null = null): Promise<void> {
  for (let place = after; ; ) {
    const portion = await expireDueAuthorizations(place);
    showTurn(`Last batch: ${portion.expired} holds released, ${portion.failed} failed.`);
    if (!portion.more) return;
    place = portion.after;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof authorizationExpiry>(place);
  }
}
