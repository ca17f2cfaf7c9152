import { requireAccount } from '../../accounts/accounts/operations';
import type { Tx } from '../../kernel/db/database';
import { Problem } from '../../kernel/errors';
import { ZERO } from '../../kernel/money/money';
import type { PayoutState } from '../../parties/payouts/port';
import type { Services } from '../../services';
import { settingsOf } from '../../tenants/clients/operations';
import { changePayout, returnedOf } from './change';
import { assertMayPay } from './create';
import { openDestination } from './destinations/sealing';
import { lockedPayout } from './operations';
import { suspend, suspendFurtherReturn } from './postings';
import { needsApproval } from './price';
import { type Payout, totalDebit } from './record';
import { isFinal, nextReturnLook, type PayoutStatus, stepsTo, wasAccepted } from './rules';
import { payoutSettingsSection } from './settings';
import { noteSubmission, savePayout, setDueBy } from './store';

/** One look of a workflow at its payout, by the workflow's clock, in milliseconds. */
export interface PayoutStep {
  payoutId: string;
  now: number;
  /** How long until it asks the party again. */
  askAfterMs: number;
  /** How long until it looks again while a person decides. */
  reviewAfterMs: number;
}

/** One a payout, for ever. */
const PREFIX = 'payout-';
export const orderKey = (payoutId: string) => PREFIX + payoutId;
/** The payout of a key; nothing when it is not one of these. */
export const payoutOfKey = (key: string) => (key.startsWith(PREFIX) ? key.slice(PREFIX.length) : undefined);

/**
 * Leads a payout as far as it goes now: it is approved or put before the operator, submitted, and set to where the
 * party has it. A poll, a callback and a return weeks later are all this one look. Done twice it is done once.
 * @throws PartyAway the party cannot be asked, or its answer was lost: to be done again. Nothing is concluded.
 */
export async function advancePayout(services: Services, step: PayoutStep): Promise<PayoutStatus> {
  for (;;) {
    const payout = await services.database.transaction((tx) => begin(services, tx, step));
    if (!wasAccepted(payout.status)) return payout.status;
    const state = await stateAtParty(services, payout);
    if (state === 'unheard') return payout.status;
    const status = await services.database.transaction((tx) => record(services, tx, payout, state, step));
    if (status !== 'outdated') return status;
  }
}

/** `outdated`: another look has changed the payout since this one asked, so that its answer may be the older one. */
async function record(
  services: Services,
  tx: Tx,
  asked: Payout,
  state: PayoutState,
  step: PayoutStep,
): Promise<PayoutStatus | 'outdated'> {
  const payout = await lockedPayout(tx, asked.id);
  if (payout.revision !== asked.revision) return 'outdated';
  const moved = await recordState(tx, payout, state, services.now());
  await watch(tx, moved, step);
  return moved.status;
}

/** Before the party is asked: what has been accepted may have reached it from now on. */
async function begin(services: Services, tx: Tx, step: PayoutStep): Promise<Payout> {
  const found = await lockedPayout(tx, step.payoutId);
  const payout = found.status === 'created' ? await judge(services, tx, found) : found;
  await watch(tx, payout, step);
  if (payout.status === 'processing') await noteSubmission(tx, payout.id, services.now());
  return payout;
}

/** Whether it needs a person, by the tenant's threshold; it may no longer pay what it could when it was made. */
async function judge(services: Services, tx: Tx, payout: Payout): Promise<Payout> {
  const at = services.now();
  try {
    await assertMayPay(tx, await requireAccount(tx, null, payout.accountId));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return changePayout(tx, payout, 'cancelled', { at, failure: error.code });
  }
  const { approvalAbove } = await settingsOf(tx, payout.tenantId, payoutSettingsSection);
  const waits = needsApproval(totalDebit(payout), payout.currency, approvalAbove);
  return changePayout(tx, payout, waits ? 'approval_required' : 'accepted', { at });
}

/** `unheard`: the party does not know it and is not to be told: for us it has ended. */
async function stateAtParty(services: Services, payout: Payout): Promise<PayoutState | 'unheard'> {
  const { payouts } = services.parties;
  if (payout.submittedAt !== null) {
    const state = await payouts.get(orderKey(payout.id));
    if (state !== 'unknown_to_party') return state;
    if (payout.status !== 'processing') return 'unheard';
  }
  return payouts.submit({
    key: orderKey(payout.id),
    method: payout.method,
    amount: payout.receivedAmount,
    currency: payout.receivedCurrency,
    destination: await openDestination(services.database, services.keyring, payout.id),
    callbackUrl: `${services.publicUrl()}${PAYOUT_CALLBACKS}`,
  });
}

/** Where the party tells of payouts. */
export const PAYOUT_CALLBACKS = '/callbacks/payouts';

/**
 * Sets a payout whose row is locked to where the party has it, whatever way led there.
 * @param state the party's whole present state of it
 */
async function recordState(tx: Tx, payout: Payout, state: PayoutState, at: Date): Promise<Payout> {
  let moved = payout;
  for (const on of stepsTo(payout.status, state.status))
    moved = await changePayout(tx, moved, on, { at, state });
  return payout.status === 'returned' ? keepReturn(tx, payout, state) : moved;
}

/** A return is credited once: what the party says of it later stands in suspense, and the operator is told. */
async function keepReturn(tx: Tx, payout: Payout, state: PayoutState): Promise<Payout> {
  if (state.status === 'processing') return payout;
  const back = state.status === 'returned' || state.status === 'failed' ? returnedOf(payout, state) : ZERO;
  const further = back.minus(payout.returnedReceived ?? ZERO);
  if (further.isZero()) return payout;
  if (further.gt(0)) await suspendFurtherReturn(tx, payout, further, back);
  else await suspend(tx, payout, further, `the party said returned, and then ${state.status}`);
  return savePayout(tx, { ...payout, returnedReceived: back });
}

async function watch(tx: Tx, payout: Payout, { now, askAfterMs, reviewAfterMs }: PayoutStep): Promise<void> {
  await setDueBy(tx, payout.id, dueBy());

  function dueBy(): Date | null {
    if (payout.status === 'completed') return nextReturnLook(payout.completedAt as Date, new Date(now));
    if (isFinal(payout.status)) return null;
    return new Date(now + (payout.status === 'pending_approval' ? reviewAfterMs : askAfterMs));
  }
}
