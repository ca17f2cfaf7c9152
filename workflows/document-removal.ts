import { continueAsNew, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { KycActivities } from '../activities/kyc';

/** Fifty contents at most, heartbeating at each: silence for a minute means that the worker is gone. */
const { removeDueDocuments } = proxyActivities<KycActivities>({
  startToCloseTimeout: '30 minutes',
  heartbeatTimeout: '90 seconds',
  retry: { initialInterval: '5 seconds', backoffCoefficient: 2, maximumInterval: '5 minutes' },
});

/** Once an hour: removes from the documents store what was deleted while it was away, and uploads that came to nothing. */
export async function documentRemoval(): Promise<void> {
  while ((await removeDueDocuments()).more) {
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof documentRemoval>();
  }
}
