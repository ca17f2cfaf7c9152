import { continueAsNew, workflowInfo } from '@temporalio/workflow';
import type { PayoutActivities } from '../../activities/payouts';
import type { PayoutStatus } from '../../src/transfers/payouts/rules';
import { localFirst } from '../support/local-first';
import { listenForLooks } from '../support/look-signal';
import { askAgainAfter } from '../support/party-retries';
import { showStatus } from '../support/status';

const { advancePayout } = localFirst<PayoutActivities>();

/**
 * A decision is told at once, by a signal. Looking without being told shows the reconciler that the payout has not been
 * lost; it costs about a dozen events of history.
 */
const REVIEW_EVERY_MS = 12 * 60 * 60_000;

const SOON_ENOUGH = 12;
const HOURLY_MS = 60 * 60_000;

/** Banks take a day or two: once the party has been asked for half an hour, every hour will do beside its callbacks. */
const askAfter = (asked: number) => (asked < SOON_ENOUGH ? askAgainAfter(asked) : HOURLY_MS);

/** A run that has waited so often goes on in a new one, rather than in a history that grows for months. */
const WAITS_PER_RUN = 100;

type Open = 'pending_approval' | 'processing' | 'sent';

/** What it waits for, as the operator reads it. */
const WAITS_FOR: Record<Open, string> = {
  pending_approval: "Waits for an operator's decision: the total is above the tenant's threshold.",
  processing: 'Submitted: the party has not sent it, or has not answered, yet.',
  sent: 'Sent: the party has not confirmed that it arrived.',
};

const isOpen = (status: PayoutStatus): status is Open => status in WAITS_FOR;

/**
 * Leads a payout to its end (`payout-lifecycle-<payoutId>`): the operator's approval above the threshold, submission, and
 * the party's outcome, each for as long as it takes. A time-out is not a failure: only the party's word ends it. A
 * callback that comes after the end, such as a return weeks later, begins it again for one look.
 * @param asked how often the party was asked before this run
 * @returns the payout's status
 */
export async function payoutLifecycle(payoutId: string, asked = 0): Promise<string> {
  const looks = listenForLooks();
  const show = showChanges();
  for (let waits = 0; ; ) {
    if (looks.waiting()) await looks.next(); // this look is the one that it asks for
    const status = await advancePayout({
      payoutId,
      now: Date.now(),
      askAfterMs: askAfter(asked),
      reviewAfterMs: REVIEW_EVERY_MS,
    });
    if (isOpen(status)) {
      show(status, WAITS_FOR[status]);
      if ((waits >= WAITS_PER_RUN || workflowInfo().continueAsNewSuggested) && !looks.waiting())
        await continueAsNew<typeof payoutLifecycle>(payoutId, asked);
      const reviewed = status === 'pending_approval';
      await looks.next(reviewed ? REVIEW_EVERY_MS : askAfter(asked));
      waits += 1;
      asked = reviewed ? 0 : asked + 1;
    } else {
      show(status);
      if (!looks.waiting()) return status;
    }
  }
}

/** Each line that is shown costs an event of history: the same one is not shown again. */
function showChanges(): (status: string, details?: string) => void {
  let shown = '';
  return (status, details = status) => {
    if (details !== shown) showStatus(status, details);
    shown = details;
  };
}
