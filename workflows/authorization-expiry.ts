import { continueAsNew, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { CardEventActivities } from '../activities/card-events';

/** Five hundred transactions at most, heartbeating at each: silence for half a minute means that the worker is gone. */
const { expireDueAuthorizations } = proxyActivities<CardEventActivities>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '30 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
});

/**
 * Once a minute: cancels open authorizations whose validity has ended, in portions, until none is due. A long backlog goes
 * on in a new run rather than in a long history.
 */
export async function authorizationExpiry(): Promise<void> {
  while ((await expireDueAuthorizations()).more) {
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof authorizationExpiry>();
  }
}
