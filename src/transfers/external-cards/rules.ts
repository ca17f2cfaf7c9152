import { conflict, invalid } from '../../kernel/errors';
import { Decimal, percentOf, roundTo } from '../../kernel/money/money';
import { assertFits } from '../../kernel/wire/schemas';
import type { CardOrderState } from '../../parties/external-cards/port';
import { dueAfterCompletion } from '../../process/overdue-after-completion';
import type { ExternalCardKind, ExternalCardStatus } from './record';
import type { ExternalCardTerms } from './settings';

export type { ExternalCardKind, ExternalCardStatus } from './record';
export { EXTERNAL_CARD_KINDS, EXTERNAL_CARD_STATUSES } from './record';

export type ExternalCardTrigger =
  | 'action_required'
  | 'accepted'
  | 'succeeded'
  | 'failed'
  | 'returned'
  | 'kept';

interface Transition {
  from: ExternalCardStatus;
  on: ExternalCardTrigger;
  to: ExternalCardStatus;
  /** Absent: of both kinds. */
  kind?: ExternalCardKind;
  /** The party takes back its own word: what really happened is booked, and the operator is told. */
  contradicts?: true;
}

/**
 * The state machine of a top-up and of a withdrawal (decisions part 4, Users and accounts). A withdrawal has left the
 * account when it is `processing`: what fails after that comes back. A top-up is charged back, and won back, when it is
 * `completed`.
 */
export const TRANSITIONS: readonly Transition[] = [
  { from: 'pending', on: 'action_required', to: 'requires_action' },
  { from: 'pending', on: 'accepted', to: 'processing' },
  { from: 'pending', on: 'succeeded', to: 'completed' },
  { from: 'pending', on: 'failed', to: 'failed' },
  { from: 'requires_action', on: 'accepted', to: 'processing' },
  { from: 'requires_action', on: 'succeeded', to: 'completed' },
  { from: 'requires_action', on: 'failed', to: 'failed' },
  { from: 'processing', on: 'succeeded', to: 'completed' },
  { from: 'processing', on: 'failed', to: 'failed', kind: 'topup' },
  { from: 'processing', on: 'failed', to: 'returned', kind: 'withdrawal' },
  { from: 'processing', on: 'returned', to: 'returned', kind: 'withdrawal' },
  { from: 'completed', on: 'returned', to: 'returned' },
  { from: 'returned', on: 'returned', to: 'returned' }, // more of it
  { from: 'returned', on: 'kept', to: 'completed', kind: 'topup' }, // a chargeback was won
  { from: 'failed', on: 'accepted', to: 'processing', kind: 'withdrawal', contradicts: true },
  { from: 'failed', on: 'succeeded', to: 'completed', kind: 'withdrawal', contradicts: true },
  { from: 'completed', on: 'failed', to: 'returned', contradicts: true },
];

export function transitionOf(
  kind: ExternalCardKind,
  from: ExternalCardStatus,
  on: ExternalCardTrigger,
): Transition | undefined {
  return TRANSITIONS.find(
    (each) => each.from === from && each.on === on && (each.kind === undefined || each.kind === kind),
  );
}

const TRIGGERS: Record<CardOrderState['status'], ExternalCardTrigger> = {
  requires_action: 'action_required',
  processing: 'accepted',
  succeeded: 'succeeded',
  failed: 'failed',
};

/**
 * What must happen, in this order, so that a record stands where the party says; nothing where it does already, and
 * where the party's word is older than what it said before: the table knows no way for that.
 * @param returned what is recorded as gone back
 */
export function triggersOf(
  kind: ExternalCardKind,
  status: ExternalCardStatus,
  returned: Decimal,
  state: CardOrderState,
): ExternalCardTrigger[] {
  const reported = TRIGGERS[state.status];
  const triggers: ExternalCardTrigger[] = [];
  const first = transitionOf(kind, status, reported);
  if (first) triggers.push(reported);
  const reached = first?.to ?? status;
  if (state.status === 'failed') return triggers;
  if (state.returned.gt(returned) && transitionOf(kind, reached, 'returned')) triggers.push('returned');
  if (state.returned.lt(returned) && transitionOf(kind, reached, 'kept')) triggers.push('kept');
  return triggers;
}

/** Nobody is waited for any more; a later word of the party is still heard. */
export const isFinal = (status: ExternalCardStatus) => ['completed', 'failed', 'returned'].includes(status);

/** While a withdrawal has not left, its amount and fee are held. */
export const isHeld = (kind: ExternalCardKind, status: ExternalCardStatus) =>
  kind === 'withdrawal' && (status === 'pending' || status === 'requires_action');

/** @throws Problem 400 for too many decimals and an amount that its fee eats up, 409 `limit_exceeded` */
export function feeOf(
  kind: ExternalCardKind,
  amount: Decimal,
  currency: string,
  { min, max, feeFixed, feePercent }: ExternalCardTerms,
): Decimal {
  assertFits(amount, currency);
  if (amount.lt(min) || amount.gt(max))
    throw conflict('limit_exceeded', `amount must be from ${min} to ${max} ${currency}.`, 'amount');
  const fee = roundTo(new Decimal(feeFixed), currency).plus(
    percentOf(amount, new Decimal(feePercent), currency),
  );
  if (kind === 'topup' && fee.gte(amount)) throw invalid('amount must be more than its fee.', 'amount');
  return fee;
}

const MINUTE_MS = 60_000;
/** Its workflow asks every ten minutes at least. */
const WATCHED_MS = 15 * MINUTE_MS;
/** A callback that tells of a return may be lost: the party is asked again so long after completion, then no more. */
const RETURN_LOOK_DAYS = [2, 10, 45, 120] as const;

/** When somebody must have looked at a record again; never, when it is at its end. */
export function nextLook(
  { status, completedAt }: { status: ExternalCardStatus; completedAt: Date | null },
  now: Date,
): Date | null {
  if (!isFinal(status)) return new Date(now.getTime() + WATCHED_MS);
  if (status !== 'completed' || !completedAt) return null;
  return dueAfterCompletion(RETURN_LOOK_DAYS, completedAt, now);
}
