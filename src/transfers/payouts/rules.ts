import { conflict } from '../../kernel/errors';
import type { PayoutState } from '../../parties/payouts/port';
import { dueAfterCompletion } from '../../process/overdue-after-completion';

export const PAYOUT_STATUSES = [
  'created',
  'pending_approval',
  'processing',
  'sent',
  'completed',
  'rejected',
  'failed',
  'cancelled',
  'returned',
] as const;
export type PayoutStatus = (typeof PAYOUT_STATUSES)[number];

export type PayoutTrigger =
  | 'approval_required'
  | 'accepted' // nobody need approve it
  | 'approved'
  | 'rejected'
  | 'cancelled' // its account or user may no longer pay
  | 'sent'
  | 'completed'
  | 'failed'
  | 'returned';

interface Transition {
  from: PayoutStatus;
  on: PayoutTrigger;
  to: PayoutStatus;
  /** The party takes back its own word: what really happened is booked, and the operator is told. */
  contradicts?: true;
}

/** The state machine of a payout (decisions part 4, Payouts; part 2 for what contradicts). */
export const TRANSITIONS: readonly Transition[] = [
  { from: 'created', on: 'approval_required', to: 'pending_approval' },
  { from: 'created', on: 'accepted', to: 'processing' },
  { from: 'created', on: 'cancelled', to: 'cancelled' },
  { from: 'pending_approval', on: 'approved', to: 'processing' },
  { from: 'pending_approval', on: 'rejected', to: 'rejected' },
  { from: 'pending_approval', on: 'cancelled', to: 'cancelled' },
  { from: 'processing', on: 'sent', to: 'sent' },
  { from: 'processing', on: 'failed', to: 'failed' },
  { from: 'sent', on: 'completed', to: 'completed' },
  { from: 'sent', on: 'returned', to: 'returned' },
  { from: 'completed', on: 'returned', to: 'returned' },
  { from: 'failed', on: 'sent', to: 'sent', contradicts: true },
  { from: 'sent', on: 'failed', to: 'returned', contradicts: true },
  { from: 'completed', on: 'failed', to: 'returned', contradicts: true },
];

/** @throws Problem 409 `invalid_transition` */
export function requireTransition(from: PayoutStatus, on: PayoutTrigger): Transition {
  const found = TRANSITIONS.find((each) => each.from === from && each.on === on);
  if (!found) throw conflict('invalid_transition', `A payout that is ${from} cannot be ${on}.`);
  return found;
}

const FINAL: readonly PayoutStatus[] = ['completed', 'rejected', 'failed', 'cancelled', 'returned'];

export const isFinal = (status: PayoutStatus) => FINAL.includes(status);

/** Whether the party may know of it. */
export const wasAccepted = (status: PayoutStatus) =>
  !['created', 'pending_approval', 'rejected', 'cancelled'].includes(status);

type Reported = PayoutState['status'];

/** How a payout that has not left comes to where the party has it: also over states that nobody told us of. */
const FROM_START: Record<Reported, PayoutTrigger[]> = {
  processing: [],
  failed: ['failed'],
  sent: ['sent'],
  completed: ['sent', 'completed'],
  returned: ['sent', 'returned'],
};

const STEPS: Partial<Record<PayoutStatus, Record<Reported, PayoutTrigger[]>>> = {
  processing: FROM_START,
  failed: { ...FROM_START, failed: [] },
  sent: { processing: [], sent: [], completed: ['completed'], returned: ['returned'], failed: ['failed'] },
  completed: { processing: [], sent: [], completed: [], returned: ['returned'], failed: ['failed'] },
};

/**
 * What must happen to a payout so that it stands where the party says; nothing where it does already, and where the
 * party's word is older than what it said before.
 */
export function stepsTo(status: PayoutStatus, reported: Reported): readonly PayoutTrigger[] {
  return STEPS[status]?.[reported] ?? [];
}

/** A callback that tells of a return may be lost: the party is asked again so long after completion, then no more. */
const RETURN_LOOK_DAYS = [2, 10, 45] as const;

/** When a completed payout is looked at again; never, when the last of these times has passed. */
export function nextReturnLook(completedAt: Date, now: Date): Date | null {
  return dueAfterCompletion(RETURN_LOOK_DAYS, completedAt, now);
}
