import type Stripe from 'stripe';
import { UnreadableAnswer } from '../../../process/party-errors';
import { isCountable } from '../../protocol/answers';
import { fromMinorUnits } from '../../stripe/amounts';
import { isOurs } from '../../stripe/requests';
import { type CheckoutWord, checkoutWord } from '../word';

/** The read parts of a session: the payment, its charge, the charge's balance, refunds and disputes. */
export interface StripePayment {
  session: Stripe.Checkout.Session;
  refunds: Stripe.Refund[];
  disputes: Stripe.Dispute[];
}

/** The fields that {@link wordOf} needs expanded. */
export const EXPANDED = ['payment_intent.latest_charge.balance_transaction', 'payment_intent.review'];

/**
 * The whole present state in our terms. Stripe counts no versions.
 * @throws UnreadableAnswer the answer cannot be read
 */
export function wordOf(payment: StripePayment): CheckoutWord {
  const parsed = checkoutWord.safeParse(reportOf(payment));
  const parts = parsed.success ? [parsed.data.payments, parsed.data.refunds, parsed.data.disputes] : [];
  if (!parsed.success || !parts.flat().every(isCountable)) throw new UnreadableAnswer();
  return parsed.data;
}

function reportOf({ session, refunds, disputes }: StripePayment): Record<keyof CheckoutWord, unknown> {
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

const moneyOf = (units: number, currency: string) => ({
  amount: fromMinorUnits(units, currency),
  currency: currency.toUpperCase(),
});

/** A charge is settled when it can be paid out. Until then Stripe holds the money. */
function settledOr(charge: Stripe.Charge): 'pending' | 'settled' {
  return expanded(charge.balance_transaction)?.status === 'available' ? 'settled' : 'pending';
}

/** A declined card leaves the page open for another. Only a completed session without a payment has failed. */
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

/** A refund that waits (`pending`, `requires_action`) is pending. */
export const refundStatus = ({ status }: Pick<Stripe.Refund, 'status'>): RefundStatus =>
  REFUND_STATUS[status ?? ''] ?? 'pending';

/** A refund that we ordered carries our key. */
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

/** Inquiries (`warning_…`) and prevented disputes are left out, because they take no money. */
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

/** The object of an expanded field. Undefined where the field holds an id. */
function expanded<T extends object>(field: string | T | null | undefined): T | undefined {
  return typeof field === 'object' && field !== null ? field : undefined;
}
