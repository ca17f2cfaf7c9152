import { continueAsNew, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { BankingActivities } from '../../activities/banking';
import { listenForLooks } from '../support/look-signal';
import { askAgainAfter, askingParty } from '../support/party-retries';
import { showStatus } from '../support/status';

const { advanceIbanPayout } = proxyActivities<BankingActivities>(askingParty);

const WAITS: Record<string, string> = {
  created: 'Submitting the payout to the payouts party.',
  processing: 'The payouts party has it, and has not sent it yet.',
  sent: 'The payouts party has sent it.',
};

/**
 * Drives a payout from a virtual IBAN (`iban-payout-<id>`) until the party has said how it ends. A callback makes it look
 * at once; without one it asks by itself. Begun again after the end, by a late callback, it looks once and ends.
 * @param asked how often it was asked since the status changed, before this run
 * @returns the payout's status
 */
export async function ibanPayout(id: string, asked = 0): Promise<string> {
  const looks = listenForLooks();
  showStatus('created', WAITS['created']);
  for (let status = 'created'; ; ) {
    const progress = await advanceIbanPayout(id);
    if (progress.status !== status) {
      status = progress.status;
      asked = 0;
    }
    showStatus(status, WAITS[status]);
    if (!progress.open && !looks.waiting()) return status;
    await looks.next(progress.open ? askAgainAfter(asked) : undefined);
    asked += 1;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof ibanPayout>(id, asked);
  }
}
