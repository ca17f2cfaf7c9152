import type { Tx } from '../../kernel/db/database';
import type { PayoutState } from '../../parties/payouts/port';
import { openBreak } from '../../process/breaks/operations';
import { creditReturn, releasePayout, takePayout } from './postings';
import type { Payout } from './record';
import { type PayoutTrigger, requireTransition } from './rules';
import { savePayout } from './store';

/** What a trigger brings with it. */
export interface Happening {
  at: Date;
  /** The party's word, where it caused the trigger. */
  state?: PayoutState;
  /** The operator's, of a rejection. */
  description?: string | undefined;
  /** Ours, of a cancellation. */
  failure?: string;
}

/**
 * Moves a payout whose row is locked along a line of the table, with the money that moves by it. Where the party takes
 * back its own word, what really happened is booked, and the operator is told.
 * @throws Problem 409 `invalid_transition`
 */
export async function changePayout(
  tx: Tx,
  payout: Payout,
  on: PayoutTrigger,
  happening: Happening,
): Promise<Payout> {
  const { to, contradicts } = requireTransition(payout.status, on);
  const effect = contradicts && on === 'failed' ? 'returned' : on;
  const changes = await effectOf(tx, payout, effect, happening);
  if (contradicts) await tellOfContradiction(tx, payout, on);
  return savePayout(tx, { ...payout, ...changes, status: to });
}

async function effectOf(
  tx: Tx,
  payout: Payout,
  effect: PayoutTrigger,
  { at, state, description, failure }: Happening,
): Promise<Partial<Payout>> {
  switch (effect) {
    case 'rejected':
      await releasePayout(tx, payout);
      return { description: description ?? null };
    case 'cancelled':
      await releasePayout(tx, payout);
      return { failure: failure ?? null };
    case 'failed':
      await releasePayout(tx, payout);
      return { failure: failureOf(state) };
    case 'sent':
      await takePayout(tx, payout, payout.status === 'processing');
      return { sentAt: at, failure: null };
    case 'completed':
      return { completedAt: at };
    case 'returned': {
      const { credited, received } = await creditReturn(tx, payout, returnedOf(payout, state));
      const failed = state?.status === 'failed' || state?.failureCode !== undefined;
      return {
        returnedAt: at,
        returnedAmount: credited,
        returnedReceived: received,
        ...(failed ? { failure: failureOf(state) } : {}),
      };
    }
    default:
      return {};
  }
}

/** All that has come back by the party's word: the whole where it does not say. */
export function returnedOf({ receivedAmount }: Payout, state: PayoutState | undefined) {
  return state?.returned ?? receivedAmount;
}

/** A client reads the code: whatever is no plain word may name the party. */
function failureOf(state: PayoutState | undefined): string {
  const code = state?.failureCode ?? '';
  return /^[a-z][a-z0-9_]{0,63}$/.test(code) ? code : 'provider_refused';
}

async function tellOfContradiction(tx: Tx, payout: Payout, on: PayoutTrigger): Promise<void> {
  await openBreak(tx, {
    tenantId: payout.tenantId,
    kind: 'payout_contradicted',
    subject: payout.id,
    detail: `the party said ${payout.status}, and then ${on}`,
    amount: payout.receivedAmount,
    currency: payout.receivedCurrency,
  });
}
