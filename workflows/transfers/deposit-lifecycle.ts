import { continueAsNew, workflowInfo } from '@temporalio/workflow';
import type { DepositActivities } from '../../activities/deposits';
import type { DepositProgress } from '../../src/transfers/deposits/advance';
import type { WaitsFor } from '../../src/transfers/deposits/patience';
import { localFirst } from '../support/local-first';
import { listenForLooks } from '../support/look-signal';
import { showStatus } from '../support/status';

const { lookAtDeposit } = localFirst<DepositActivities>();

/** What it waits for, as the operator reads it. */
const DETAILS: Record<WaitsFor, string> = {
  payment: 'Waits for the payer.',
  settlement: 'Waits for the settlement.',
  review: "Waits for an operator's decision.",
  return: 'Rejected: the money goes back to the payer.',
  refund: 'Credited: a refund is under way.',
};

/** A run that has waited so often goes on in a new one, rather than in a history that grows for months. */
const WAITS_PER_RUN = 200;

/**
 * Leads a deposit from its creation to its end (`deposit-<depositId>`). Every step is the same one: look at what the
 * party has, apply it, and wait for the next reason to look – a callback, the operator's decision, the time of expiry, or
 * the turn to ask. A deposit that has ended is looked at once when its workflow is begun again.
 * @param last what the run before this one saw
 * @returns the deposit's status
 */
export async function depositLifecycle(depositId: string, last?: DepositProgress): Promise<string> {
  const looks = listenForLooks();
  let shown = last?.status;
  let progress = await lookAtDeposit({ depositId, at: Date.now(), last });
  for (let waits = 0; ; waits += 1) {
    const { status, waitsFor, waitMs } = progress;
    if (waitsFor === null && !looks.waiting()) return status;
    // Each status that is shown costs an event of history; the last one is the workflow's result.
    if (status !== shown && waitsFor !== null) showStatus(status, DETAILS[waitsFor]);
    shown = status;
    if ((waits >= WAITS_PER_RUN || workflowInfo().continueAsNewSuggested) && !looks.waiting())
      await continueAsNew<typeof depositLifecycle>(depositId, progress);
    await looks.next(waitMs);
    progress = await lookAtDeposit({ depositId, at: Date.now(), last: progress });
  }
}
