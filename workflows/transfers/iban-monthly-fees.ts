import { continueAsNew, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { BankingActivities } from '../../activities/banking';
import type { FeePlace } from '../../src/transfers/iban/fees/operations';

/** Two hundred small transactions at most; what is done when it is tried again stays done. */
const { takeMonthlyIbanFees } = proxyActivities<BankingActivities>({
  startToCloseTimeout: '5 minutes',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
});

/**
 * Once an hour: takes the fees of all months that have ended and have not been paid, whichever run should have done it. A
 * long backlog goes on in a new run rather than in a long history.
 */
export async function ibanMonthlyFees(after: FeePlace | null = null): Promise<void> {
  for (let place = after; ; ) {
    place = (await takeMonthlyIbanFees(place)).after;
    if (place === null) return;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof ibanMonthlyFees>(place);
  }
}
