import { conflict } from '../../../kernel/errors';
import { Decimal, minOf, percentOf, roundTo, ZERO } from '../../../kernel/money/money';
import { assertFits } from '../../../kernel/wire/schemas';
import type { PayoutState } from '../../../parties/payouts/port';
import { nextReturnLook } from '../../payouts/rules';
import type { BankingSettings } from '../settings';

export const IBAN_PAYOUT_STATUSES = [
  'created',
  'processing',
  'sent',
  'completed',
  'failed',
  'returned',
] as const;
export type IbanPayoutStatus = (typeof IBAN_PAYOUT_STATUSES)[number];

export type IbanPayoutTrigger = 'accepted' | 'sent' | 'completed' | 'failed' | 'returned';

interface Transition {
  from: IbanPayoutStatus;
  on: IbanPayoutTrigger;
  to: IbanPayoutStatus;
  /** The party takes back its own word: what really happened is booked, and the operator is told. */
  contradicts?: true;
}

/** The state machine of a payout from a virtual IBAN (decisions part 4, Payouts, virtual IBAN): the money leaves on `sent`. */
export const TRANSITIONS: readonly Transition[] = [
  { from: 'created', on: 'accepted', to: 'processing' },
  { from: 'created', on: 'failed', to: 'failed' },
  { from: 'processing', on: 'sent', to: 'sent' },
  { from: 'processing', on: 'failed', to: 'failed' },
  { from: 'sent', on: 'completed', to: 'completed' },
  { from: 'sent', on: 'returned', to: 'returned' },
  { from: 'completed', on: 'returned', to: 'returned' },
  { from: 'returned', on: 'returned', to: 'returned' }, // more of it
  { from: 'failed', on: 'sent', to: 'sent', contradicts: true },
  { from: 'sent', on: 'failed', to: 'returned', contradicts: true },
  { from: 'completed', on: 'failed', to: 'returned', contradicts: true },
];

export const transitionOf = (from: IbanPayoutStatus, on: IbanPayoutTrigger): Transition | undefined =>
  TRANSITIONS.find((each) => each.from === from && each.on === on);

/** The way to each of the party's words, from the beginning. */
const WAYS: Record<PayoutState['status'], IbanPayoutTrigger[]> = {
  processing: ['accepted'],
  sent: ['accepted', 'sent'],
  completed: ['accepted', 'sent', 'completed'],
  failed: ['failed'],
  returned: ['accepted', 'sent', 'returned'],
};

/**
 * What must happen, in this order, so that a payout stands where the party says. What the table knows no way for is
 * passed over: it has happened before, or the party's word is older than what it said since.
 */
export function triggersTo(status: IbanPayoutStatus, state: PayoutState): IbanPayoutTrigger[] {
  if (status === 'returned') return state.status === 'returned' ? ['returned'] : [];
  const triggers: IbanPayoutTrigger[] = [];
  let reached: IbanPayoutStatus = status;
  for (const trigger of WAYS[state.status]) {
    const found = transitionOf(reached, trigger);
    if (!found) continue;
    triggers.push(trigger);
    reached = found.to;
  }
  return triggers;
}

/** All that has come back, by the party's word: the whole when it does not say. Never more than was paid. */
export function returnedOf(amount: Decimal, { status, returned }: PayoutState): Decimal {
  if (status === 'failed' || returned === undefined) return amount;
  return minOf(amount, returned.lt(0) ? ZERO : returned);
}

export const isFinal = (status: IbanPayoutStatus) => ['completed', 'failed', 'returned'].includes(status);

/** While it has not left, its amount and fee are held. */
export const isHeld = (status: IbanPayoutStatus) => status === 'created' || status === 'processing';

/** @throws Problem 400 for too many decimals, 409 `limit_exceeded` */
export function feeOf(
  amount: Decimal,
  { min, max, feeFixed, feePercent }: BankingSettings['payout'],
): Decimal {
  assertFits(amount, 'EUR');
  if (amount.lt(min) || amount.gt(max))
    throw conflict('limit_exceeded', `amount must be from ${min} to ${max} EUR.`, 'amount');
  return roundTo(new Decimal(feeFixed), 'EUR').plus(percentOf(amount, new Decimal(feePercent), 'EUR'));
}

const MINUTE_MS = 60_000;
/** Its workflow asks every ten minutes at least. */
const WATCHED_MS = 15 * MINUTE_MS;

/** When somebody must have looked at a payout again; never, when it is at its end. */
export function nextLook(
  { status, completedAt }: { status: IbanPayoutStatus; completedAt: Date | null },
  now: Date,
): Date | null {
  if (!isFinal(status)) return new Date(now.getTime() + WATCHED_MS);
  if (status !== 'completed' || !completedAt) return null;
  return nextReturnLook(completedAt, now);
}
