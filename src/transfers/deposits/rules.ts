import { conflict } from '../../kernel/errors';
import type { CheckoutState } from '../../parties/checkout/port';
import type { Deposit, DepositStatus } from './record';

/** What can happen to a deposit. */
export type DepositTrigger =
  | 'created'
  /** The party has made its page, or will never. */
  | 'session_made'
  | 'session_refused'
  /** The payer's doing, as the party tells it. */
  | 'paid'
  | 'cancelled'
  | 'expired'
  | 'payment_failed'
  /** It was paid after it had ended. */
  | 'paid_late'
  /** The party sees a risk, or has another amount than was asked for. */
  | 'questioned'
  /** The party's money is ours. */
  | 'settled'
  /** The operator's decision, done: credited after settlement, or returned to the payer. */
  | 'approved'
  | 'returned'
  /** The party has taken the money back. */
  | 'refunded'
  | 'charged_back';

interface Transition {
  /** null: there was no record. */
  from: DepositStatus | null;
  on: DepositTrigger;
  to: DepositStatus;
}

/** The deposit's state machine (`interface.md 3.2`, decisions part 4): no status is assigned but by a line of it. */
export const DEPOSIT_TRANSITIONS: readonly Transition[] = [
  { from: null, on: 'created', to: 'created' },
  { from: 'created', on: 'session_made', to: 'awaiting_payment' },
  { from: 'created', on: 'session_refused', to: 'failed' },
  { from: 'created', on: 'expired', to: 'expired' },
  { from: 'awaiting_payment', on: 'paid', to: 'processing' },
  { from: 'awaiting_payment', on: 'payment_failed', to: 'failed' },
  { from: 'awaiting_payment', on: 'cancelled', to: 'cancelled' },
  { from: 'awaiting_payment', on: 'expired', to: 'expired' },
  { from: 'processing', on: 'payment_failed', to: 'failed' },
  { from: 'processing', on: 'questioned', to: 'manual_review' },
  { from: 'processing', on: 'settled', to: 'completed' },
  { from: 'expired', on: 'paid_late', to: 'manual_review' },
  { from: 'cancelled', on: 'paid_late', to: 'manual_review' },
  { from: 'failed', on: 'paid_late', to: 'manual_review' },
  { from: 'manual_review', on: 'approved', to: 'completed' },
  { from: 'manual_review', on: 'returned', to: 'failed' },
  { from: 'manual_review', on: 'payment_failed', to: 'failed' },
  { from: 'completed', on: 'refunded', to: 'refunded' },
  { from: 'completed', on: 'charged_back', to: 'chargeback' },
];

/** Where a trigger leads; nothing where it is not possible. */
export function statusAfter(from: DepositStatus | null, on: DepositTrigger): DepositStatus | undefined {
  return DEPOSIT_TRANSITIONS.find((line) => line.from === from && line.on === on)?.to;
}

/** @throws Problem 409 `invalid_transition` */
export function requireTransition(from: DepositStatus | null, on: DepositTrigger): DepositStatus {
  const to = statusAfter(from, on);
  if (to) return to;
  throw conflict('invalid_transition', `A deposit that is ${from ?? 'not there'} cannot be ${on}.`);
}

/** A webhook tells of these, and of no other (3.2). */
const TOLD: readonly DepositStatus[] = [
  'completed',
  'failed',
  'cancelled',
  'expired',
  'manual_review',
  'refunded',
  'chargeback',
];

export const isTold = (status: DepositStatus): boolean => TOLD.includes(status);

/** Was credited, whatever became of it. */
export const wasCredited = (status: DepositStatus): boolean =>
  status === 'completed' || status === 'refunded' || status === 'chargeback';

const isPaid = ({ status }: CheckoutState) => status === 'paid' || status === 'settled';

/** What the party has is not what was asked for. */
export function amountDiffers(
  { chargedAmount, currency }: Pick<Deposit, 'chargedAmount' | 'currency'>,
  { paid }: Pick<CheckoutState, 'paid'>,
): boolean {
  return paid !== undefined && !(paid.currency === currency && paid.amount.eq(chargedAmount));
}

/** The party has taken money back, or is about to, before it was credited. */
const isTakenBack = ({ disputes, refunds }: CheckoutState) =>
  disputes.some(({ status }) => status !== 'won') || refunds.some(({ status }) => status !== 'failed');

/**
 * What happens next to a deposit of which the party says this: one line of the table at a time, until nothing does. It
 * depends on the party's present state alone, never on the order or number of its messages.
 * @param at the workflow's clock: what is unpaid at `expiresAt` expires
 */
export function nextTrigger(
  deposit: Pick<
    Deposit,
    'status' | 'expiresAt' | 'chargedAmount' | 'currency' | 'decision' | 'settledAt' | 'failure'
  >,
  state: CheckoutState,
  at: Date,
): DepositTrigger | undefined {
  switch (deposit.status) {
    case 'awaiting_payment':
      if (isPaid(state)) return 'paid';
      if (state.status === 'failed') return 'payment_failed';
      if (state.status === 'cancelled') return 'cancelled';
      return state.status === 'expired' || deposit.expiresAt <= at ? 'expired' : undefined;
    case 'processing':
      if (state.status === 'failed') return 'payment_failed';
      if (state.risk === 'review' || amountDiffers(deposit, state) || isTakenBack(state)) return 'questioned';
      return state.status === 'settled' ? 'settled' : undefined;
    case 'manual_review':
      if (state.status === 'failed' && deposit.settledAt === null) return 'payment_failed';
      return deposit.decision === 'approved' && state.status === 'settled' ? 'approved' : undefined;
    case 'expired':
    case 'cancelled':
      return isPaid(state) ? 'paid_late' : undefined;
    case 'failed':
      // What was returned to the payer, or is on its way, is not paid again.
      return isPaid(state) && deposit.decision !== 'rejected' ? 'paid_late' : undefined;
    default:
      return undefined;
  }
}
