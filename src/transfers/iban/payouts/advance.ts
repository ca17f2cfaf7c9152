import type { Tx } from '../../../kernel/db/database';
import type { PayoutState } from '../../../parties/payouts/port';
import type { Services } from '../../../services';
import { PAYOUT_CALLBACK_PATH } from '../callback-paths';
import { creditReturn, releasePayout, takePayout, tellContradiction } from '../postings';
import { requirePayout } from './operations';
import {
  type IbanPayoutStatus,
  type IbanPayoutTrigger,
  isFinal,
  isHeld,
  nextLook,
  returnedOf,
  transitionOf,
  triggersTo,
} from './rules';
import { openDestination } from './sealing';
import { type IbanPayout, lockPayout, noteSubmission, savePayout, setDueBy } from './store';

export interface IbanPayoutProgress {
  status: IbanPayoutStatus;
  /** Its process goes on. */
  open: boolean;
}

/**
 * Submits a payout that is created, asks for the present state of one that was, and applies it. Twice is once: the order
 * carries the payout's id, and what a state does is judged by the record under its lock.
 * @throws OutcomeUnknown, PartyAway nothing is known now: it is asked again
 */
export async function advancePayout(services: Services, id: string): Promise<IbanPayoutProgress> {
  const { database, now } = services;
  const state = await stateOf(services, await requirePayout(database, id));
  return database.transaction(async (tx) => {
    const locked = await lockPayout(tx, id);
    if (!locked) throw new Error('the payout is gone');
    if (state === 'unknown_to_party') await tellContradiction(tx, locked, 'the party no longer knows it');
    const after = state === 'unknown_to_party' ? locked : await applyState(services, tx, locked, state);
    await setDueBy(tx, id, nextLook(after, now()));
    return { status: after.status, open: !isFinal(after.status) };
  });
}

async function stateOf(services: Services, payout: IbanPayout): Promise<PayoutState | 'unknown_to_party'> {
  const { database, keyring, parties, publicUrl, now } = services;
  const { id, amount, status } = payout;
  if (status !== 'created') return parties.payouts.get(id);
  const destination = await openDestination(database, keyring, id);
  await noteSubmission(database, id, now());
  const callbackUrl = publicUrl() + PAYOUT_CALLBACK_PATH;
  return parties.payouts.submit({
    ...{ key: id, method: 'sepa', amount, currency: 'EUR' },
    ...{ destination, callbackUrl },
  });
}

/** Brings a payout to where the party has it. The caller holds its row. */
export async function applyState(
  services: Services,
  tx: Tx,
  payout: IbanPayout,
  state: PayoutState,
): Promise<IbanPayout> {
  let current = payout;
  for (const trigger of triggersTo(payout.status, state))
    current = await step(services, tx, current, trigger, state);
  if (current !== payout) await savePayout(tx, current);
  return current;
}

/** One line of the table of transitions: what it does, and the payout as it is then. */
async function step(
  { now }: Services,
  tx: Tx,
  payout: IbanPayout,
  trigger: IbanPayoutTrigger,
  state: PayoutState,
): Promise<IbanPayout> {
  const transition = transitionOf(payout.status, trigger);
  if (!transition) return payout;
  const { to, contradicts } = transition;
  if (contradicts) await tellContradiction(tx, payout, `it was ${payout.status}, and is ${to}`);
  const at = now();
  const held = isHeld(payout.status);
  if (trigger === 'failed' && held) await releasePayout(tx, payout);
  if (to === 'sent') await takePayout(tx, payout, held);
  const changed: IbanPayout = {
    ...payout,
    status: to,
    failure: trigger === 'failed' || trigger === 'returned' ? (state.failureCode ?? trigger) : null,
    sentAt: to === 'sent' ? at : payout.sentAt,
    completedAt: to === 'completed' ? at : payout.completedAt,
  };
  return to === 'returned' ? bookReturn(tx, payout, changed, state) : changed;
}

/** What has come back since it was last recorded. A word that is older says less: nothing is taken again. */
async function bookReturn(
  tx: Tx,
  payout: IbanPayout,
  changed: IbanPayout,
  state: PayoutState,
): Promise<IbanPayout> {
  const returned = returnedOf(payout.amount, state);
  if (returned.lte(payout.returnedAmount)) return payout.status === changed.status ? payout : changed;
  await creditReturn(tx, payout, returned.minus(payout.returnedAmount));
  return { ...changed, returnedAmount: returned, returns: payout.returns + 1 };
}
