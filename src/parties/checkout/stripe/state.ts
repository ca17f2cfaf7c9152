import type Stripe from 'stripe';
import type { CheckoutDispute, CheckoutRefund, CheckoutState } from '../port';
import { fromMinorUnits } from './amounts';

/** What is read of a session: the payment, its charge, where the charge's money is, and what has gone back. */
export interface StripePayment {
  session: Stripe.Checkout.Session;
  refunds: Stripe.Refund[];
  disputes: Stripe.Dispute[];
}

/** What is expanded when a session is read: {@link stateOf} needs it. */
export const EXPANDED = ['payment_intent.latest_charge.balance_transaction', 'payment_intent.review'];

/** The whole present state, in our words. */
export function stateOf({ session, refunds, disputes }: StripePayment): CheckoutState {
  const intent = expanded(session.payment_intent);
  const charge = expanded(intent?.latest_charge);
  const taken = intent?.status === 'succeeded' && charge?.captured ? charge : undefined;
  const failureCode = intent?.last_payment_error?.code ?? charge?.failure_code;
  const status = taken ? paidOrSettled(taken) : unpaid(session, intent);
  return {
    sessionId: session.id,
    status,
    ...(taken
      ? {
          paid: {
            amount: fromMinorUnits(taken.amount_captured, taken.currency),
            currency: taken.currency.toUpperCase(),
          },
        }
      : {}),
    risk: isQuestioned(intent, charge) ? 'review' : 'normal',
    ...(status === 'failed' && failureCode ? { failureCode } : {}),
    refunds: refunds.map(refundOf),
    disputes: disputes.flatMap(disputeOf),
  };
}

/** Settled is what can be paid out: until then the money is the party's. */
function paidOrSettled(charge: Stripe.Charge): 'paid' | 'settled' {
  return expanded(charge.balance_transaction)?.status === 'available' ? 'settled' : 'paid';
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

const REFUND_STATUS: Record<string, CheckoutRefund['status']> = {
  succeeded: 'succeeded',
  failed: 'failed',
  canceled: 'failed',
};

/** One that waits for something (`pending`, `requires_action`) is pending. */
export const refundStatus = ({ status }: Pick<Stripe.Refund, 'status'>): CheckoutRefund['status'] =>
  REFUND_STATUS[status ?? ''] ?? 'pending';

function refundOf(refund: Stripe.Refund): CheckoutRefund {
  return {
    id: refund.id,
    amount: fromMinorUnits(refund.amount, refund.currency),
    status: refundStatus(refund),
  };
}

/** An inquiry (`warning_…`) takes no money, and neither does a dispute that was prevented. */
const DISPUTE_STATUS: Record<string, CheckoutDispute['status']> = {
  needs_response: 'open',
  under_review: 'open',
  won: 'won',
  lost: 'lost',
  appeal_needs_response: 'lost',
  appeal_under_review: 'lost',
};

function disputeOf({ id, amount, currency, status }: Stripe.Dispute): CheckoutDispute[] {
  const known = DISPUTE_STATUS[status];
  return known === undefined ? [] : [{ id, amount: fromMinorUnits(amount, currency), status: known }];
}

/** Of a field that holds the object where it was asked for, and its name elsewhere. */
function expanded<T extends object>(field: string | T | null | undefined): T | undefined {
  return typeof field === 'object' && field !== null ? field : undefined;
}
