import { continueAsNew, proxyActivities, workflowInfo } from '@temporalio/workflow';
import { isOfEngine } from '../support/follow';
import { localFirst } from '../support/local-first';
import { listenForLooks } from '../support/look-signal';
import { askAgainAfter, askingParty } from '../support/party-retries';
import { showStatus } from '../support/status';

/**
 * The loops of runs that began before the transfer engine: replayed as they were. A step that is taken after the upgrade
 * answers as the engine does; the run then goes on as a new one, on the engine's loop.
 */

type DepositWait = 'payment' | 'settlement' | 'review' | 'return' | 'refund';

export interface EarlierProgress {
  status: string;
  waitsFor: DepositWait | null;
  waitMs?: number;
  turns: number;
}

interface EarlierActivities {
  lookAtDeposit(step: {
    depositId: string;
    at: number;
    last: EarlierProgress | undefined;
  }): Promise<EarlierProgress>;
  advancePayout(step: object): Promise<string>;
  advanceExternalCard(id: string): Promise<{ status: string; open: boolean; actionBy?: number }>;
  advanceIbanPayout(id: string): Promise<{ status: string; open: boolean }>;
}

const quick = localFirst<EarlierActivities>();
const patient = proxyActivities<EarlierActivities>(askingParty);

const DEPOSIT_DETAILS: Record<DepositWait, string> = {
  payment: 'Waits for the payer.',
  settlement: 'Waits for the settlement.',
  review: "Waits for an operator's decision.",
  return: 'Rejected: the money goes back to the payer.',
  refund: 'Credited: a refund is under way.',
};

const PAYOUT_WAITS: Record<string, string> = {
  pending_approval: "Waits for an operator's decision: the total is above the tenant's threshold.",
  processing: 'Submitted: the party has not sent it, or has not answered, yet.',
  sent: 'Sent: the party has not confirmed that it arrived.',
};

const CARD_WAITS: Record<string, string> = {
  pending: 'Asking the card acquirer.',
  requires_action: 'The payer must confirm on the page of the card’s bank.',
  processing: 'The card acquirer has taken it on; the money is on its way.',
};

const IBAN_WAITS: Record<string, string> = {
  created: 'Submitting the payout to the payouts party.',
  processing: 'The payouts party has it, and has not sent it yet.',
  sent: 'The payouts party has sent it.',
};

const REVIEW_EVERY_MS = 12 * 60 * 60_000;
const HOURLY_MS = 60 * 60_000;
const payoutAskAfter = (asked: number) => (asked < 12 ? askAgainAfter(asked) : HOURLY_MS);

/** @param first what its first step was answered; `told` whether it was to look again */
async function deposit(
  depositId: string,
  last: EarlierProgress | undefined,
  { first, told }: { first: EarlierProgress; told: boolean },
): Promise<string> {
  const looks = listenForLooks(told);
  let shown = last?.status;
  let progress = first;
  for (let waits = 0; ; waits += 1) {
    if (isOfEngine(progress)) await continueAsNew(depositId);
    const { status, waitsFor, waitMs } = progress;
    if (waitsFor === null && !looks.waiting()) return status;
    if (status !== shown && waitsFor !== null) showStatus(status, DEPOSIT_DETAILS[waitsFor]);
    shown = status;
    if ((waits >= 200 || workflowInfo().continueAsNewSuggested) && !looks.waiting())
      await continueAsNew(depositId, progress);
    await looks.next(waitMs);
    progress = await quick.lookAtDeposit({ depositId, at: Date.now(), last: progress });
  }
}

async function payout(
  payoutId: string,
  before: number,
  { first, told }: { first: string; told: boolean },
): Promise<string> {
  const looks = listenForLooks(told);
  let asked = before;
  let shown = '';
  const show = (status: string, details = status) => {
    if (details !== shown) showStatus(status, details);
    shown = details;
  };
  let status = first;
  for (let waits = 0; ; ) {
    if (isOfEngine(status)) await continueAsNew(payoutId);
    const waitsFor = PAYOUT_WAITS[status];
    if (waitsFor === undefined) {
      show(status);
      if (!looks.waiting()) return status;
    } else {
      show(status, waitsFor);
      if ((waits >= 100 || workflowInfo().continueAsNewSuggested) && !looks.waiting())
        await continueAsNew(payoutId, asked);
      const reviewed = status === 'pending_approval';
      await looks.next(reviewed ? REVIEW_EVERY_MS : payoutAskAfter(asked));
      waits += 1;
      asked = reviewed ? 0 : asked + 1;
    }
    if (looks.waiting()) await looks.next(); // this look is the one that it asks for
    status = await quick.advancePayout({
      payoutId,
      now: Date.now(),
      askAfterMs: payoutAskAfter(asked),
      reviewAfterMs: REVIEW_EVERY_MS,
    });
  }
}

type CardStep = { status: string; open: boolean; actionBy?: number };

/** Top-ups and withdrawals by card and payouts from virtual IBANs went alike. */
async function asking(
  id: string,
  asked: number,
  first: string,
  waits: Readonly<Record<string, string>>,
  step: (id: string) => Promise<CardStep>,
): Promise<string> {
  const looks = listenForLooks();
  showStatus(first, waits[first]);
  for (let status = first; ; ) {
    const progress = await step(id);
    if (isOfEngine(progress)) await continueAsNew(id);
    if (progress.status !== status) {
      status = progress.status;
      asked = 0;
    }
    showStatus(status, waits[status]);
    if (!progress.open && !looks.waiting()) return status;
    await looks.next(progress.open ? pause(asked, progress.actionBy) : undefined);
    asked += 1;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew(id, asked);
  }
}

function pause(asked: number, actionBy?: number): number {
  const usual = askAgainAfter(asked);
  if (actionBy === undefined || actionBy <= Date.now()) return usual;
  return Math.min(usual, actionBy - Date.now() + 1_000);
}

export const beforeTheEngine = {
  deposit,
  payout,
  externalCard: (id: string, asked = 0) =>
    asking(id, asked, 'pending', CARD_WAITS, (each) => patient.advanceExternalCard(each)),
  ibanPayout: (id: string, asked = 0) =>
    asking(id, asked, 'created', IBAN_WAITS, (each) => patient.advanceIbanPayout(each)),
};
