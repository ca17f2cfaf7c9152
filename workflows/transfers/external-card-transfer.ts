import { continueAsNew, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { ExternalCardActivities } from '../../activities/external-cards';
import { listenForLooks } from '../support/look-signal';
import { askAgainAfter, askingParty } from '../support/party-retries';
import { showStatus } from '../support/status';

const { advanceExternalCard } = proxyActivities<ExternalCardActivities>(askingParty);

const WAITS: Record<string, string> = {
  pending: 'Asking the card acquirer.',
  requires_action: 'The payer must confirm on the page of the card’s bank.',
  processing: 'The card acquirer has taken it on; the money is on its way.',
};

/**
 * Drives a top-up from a payment card (`card-topup-<id>`) or a withdrawal to one (`card-withdrawal-<id>`) until the acquirer
 * has decided. A callback makes it look at once; without one it asks by itself. Begun again after the end, by a late
 * callback, it looks once and ends.
 * @param asked how often it was asked since the status changed, before this run
 * @returns the record's status
 */
export async function externalCardTransfer(id: string, asked = 0): Promise<string> {
  const looks = listenForLooks();
  showStatus('pending', WAITS['pending']);
  for (let status = 'pending'; ; ) {
    const progress = await advanceExternalCard(id);
    if (progress.status !== status) {
      status = progress.status;
      asked = 0;
    }
    showStatus(status, WAITS[status]);
    if (!progress.open && !looks.waiting()) return status;
    await looks.next(progress.open ? pause(asked, progress.actionBy) : undefined);
    asked += 1;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof externalCardTransfer>(id, asked);
  }
}

/** Until it is asked again: soon after the payer's time has run out, at the latest. */
function pause(asked: number, actionBy?: number): number {
  const usual = askAgainAfter(asked);
  if (actionBy === undefined || actionBy <= Date.now()) return usual;
  return Math.min(usual, actionBy - Date.now() + 1_000);
}
