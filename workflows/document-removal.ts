import { continueAsNew, workflowInfo } from '@temporalio/workflow';
import type { KycActivities } from '../activities/kyc';
import { showTurn } from './support/status';
import { steps } from './support/steps';

/** At most 50 contents, with a heartbeat before each. No heartbeat for 90 seconds means that the worker has died. */
const { removeDueDocuments } = steps<Pick<KycActivities, 'removeDueDocuments'>>(
  {
    startToCloseTimeout: '30 minutes',
    heartbeatTimeout: '90 seconds',
    retry: { initialInterval: '5 seconds', backoffCoefficient: 2, maximumInterval: '5 minutes' },
  },
  { removeDueDocuments: 'remove content that no record keeps from the document store, a batch' },
);

/** Removes content that no record keeps from the document store: of deleted records and of failed uploads. Hourly. */
export async function documentRemoval(): Promise<void> {
  while ((await removeDueDocuments()).more) {
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof documentRemoval>();
  }
  showTurn('No content is left that no record keeps.');
}
