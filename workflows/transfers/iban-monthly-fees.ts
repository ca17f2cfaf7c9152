import { continueAsNew, workflowInfo } from '@temporalio/workflow';
import type { BankingActivities } from '../../activities/banking';
import type { FeePlace } from '../../src/transfers/iban/fees/operations';
import { showTurn } from '../support/status';
import { steps } from '../support/steps';

/** At most 200 small transactions. A retry skips the fees that are already paid. */
const { takeMonthlyIbanFees } = steps<BankingActivities>(
  {
    startToCloseTimeout: '5 minutes',
    retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
  },
  { takeMonthlyIbanFees: 'take the unpaid monthly fees of virtual IBANs, a batch' },
);

/**
 * Takes the unpaid fees of all months that have ended, also of months that earlier runs missed. A schedule starts it
 * once an hour.
 */
export async function ibanMonthlyFees(after: FeePlace | null = null): Promise<void> {
  for (let place = after; ; ) {
    const { paid, unpaid, after: last } = await takeMonthlyIbanFees(place);
    showTurn(`Last batch: ${paid} fees paid, ${unpaid} left unpaid.`);
    place = last;
    if (place === null) return;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof ibanMonthlyFees>(place);
  }
}
