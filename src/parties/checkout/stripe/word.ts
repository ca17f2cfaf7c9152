import type Stripe from 'stripe';
import { UnreadableAnswer } from '../../../process/party-errors';
import { isCountable } from '../../protocol/answers';
import { type CheckoutWord, checkoutWord } from '../word';
import { fromMinorUnits } from './amounts';

/** Marks what was made here: the account may serve other programs, too. */
export const ORIGIN = 'cardwright';

/** What is read of a session: the payment, its charge, where the charge's money is, and what has gone back. */
export interface StripePayment {
  session: Stripe.Checkout.Session;
  refunds: Stripe.Refund[];
  disputes: Stripe.Dispute[];
}

/** What is expanded when a session is read: {@link wordOf} needs it. */
export const EXPANDED = ['payment_intent.latest_charge.balance_transaction', 'payment_intent.review'];

/**
 * The whole present state, in our words. The party counts no versions.
 * @throws UnreadableAnswer where what it answers cannot be read
 */
export function wordOf(payment: StripePayment): CheckoutWord {
  const parsed = checkoutWord.safeParse(told(payment));
  const parts = parsed.success ? [parsed.data.payments, parsed.data.refunds, parsed.data.disputes] : [];
  if (!parsed.success || !parts.flat().every(isCountable)) throw new UnreadableAnswer();
  return parsed.data;
}

function told({ session, refunds, disputes }: StripePayment): Record<keyof CheckoutWord, unknown> {
  const intent = expanded(session.payment_intent);
  const charge = expanded(intent?.latest_charge);
  const taken = intent?.status === 'succeeded' && charge?.captured ? charge : undefined;
  const page = taken ? 'paid' : unpaid(session, intent);
  return {
    version: undefined,
    key: isOurs(session) ? (session.metadata?.['deposit'] ?? null) : null,
    page,
    payments: taken
      ? [{ id: intent?.id, ...moneyOf(taken.amount_captured, taken.currency), status: settledOr(taken) }]
      : [],
    risk: isQuestioned(intent, charge) ? 'review' : 'normal',
    failureCode:
      page === 'failed' ? (intent?.last_payment_error?.code ?? charge?.failure_code ?? undefined) : undefined,
    refunds: refunds.map(refundOf),
    disputes: disputes.flatMap(disputeOf),
  };
}

/** The session may be of another program on the same account. */
export const isOurs = ({ metadata }: { metadata?: Stripe.Metadata | null }): boolean =>
  metadata?.['origin'] === ORIGIN;

const moneyOf = (units: number, currency: string) => ({
  amount: fromMinorUnits(units, currency),
  currency: currency.toUpperCase(),
});

/** Settled is what can be paid out: until then the money is the party's. */
function settledOr(charge: Stripe.Charge): 'pending' | 'settled' {
  return expanded(charge.balance_transaction)?.status === 'available' ? 'settled' : 'pending';
}

/**
 * A card that is declined leaves the page open for another. Only what was handed in and came to nothing has failed.
 */
function unpaid(session: Stripe.Checkout.Session, intent: Stripe.PaymentIntent | undefined) {
  if (session.status === 'expired') return 'expired';
  const isOver = intent?.status === 'requires_payment_method' || intent?.status === 'canceled';
  return session.status === 'complete' && isOver ? 'failed' : 'open';
}

function isQuestioned(intent: Stripe.PaymentIntent | undefined, charge: Stripe.Charge | undefined): boolean {
  return expanded(intent?.review)?.open === true || charge?.outcome?.risk_level === 'highest';
}

type RefundStatus = CheckoutWord['refunds'][number]['status'];

const REFUND_STATUS: Record<string, RefundStatus> = {
  succeeded: 'succeeded',
  failed: 'failed',
  canceled: 'failed',
};

/** One that waits for something (`pending`, `requires_action`) is pending. */
export const refundStatus = ({ status }: Pick<Stripe.Refund, 'status'>): RefundStatus =>
  REFUND_STATUS[status ?? ''] ?? 'pending';

/** One that we ordered bears our key. */
function refundOf(refund: Stripe.Refund) {
  const { id, amount, currency, metadata } = refund;
  const key = metadata?.['key'];
  return {
    id,
    ...(key === undefined ? {} : { key }),
    ...moneyOf(amount, currency),
    status: refundStatus(refund),
  };
}

/** An inquiry (`warning_…`) takes no money, and neither does a dispute that was prevented. */
const DISPUTE_STATUS: Record<string, 'open' | 'won' | 'lost'> = {
  needs_response: 'open',
  under_review: 'open',
  won: 'won',
  lost: 'lost',
  appeal_needs_response: 'lost',
  appeal_under_review: 'lost',
};

function disputeOf({ id, amount, currency, status }: Stripe.Dispute) {
  const known = DISPUTE_STATUS[status];
  return known === undefined ? [] : [{ id, ...moneyOf(amount, currency), status: known }];
}

/** Of a field that holds the object where it was asked for, and its name elsewhere. */
function expanded<T extends object>(field: string | T | null | undefined): T | undefined {
  return typeof field === 'object' && field !== null ? field : undefined;
}
