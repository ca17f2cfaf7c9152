import type { IncomingHttpHeaders } from 'node:http';
import type { Decimal } from '../../kernel/money/money';

/** What the payer's page is made for. Amounts are in the payer's currency. */
export interface NewCheckoutSession {
  /** Asked again with the same key, it is the same session. */
  key: string;
  depositId: string;
  method: 'card' | 'bank_transfer' | 'crypto';
  amount: Decimal;
  currency: string;
  /** Whom the payer pays, as the page names it. */
  merchant: string;
  expiresAt: Date;
  /** Where the payer's browser goes when it is done. Its return means nothing. */
  returnUrl: string;
  /** Where the party tells us that something has happened. */
  callbackUrl: string;
}

export interface CheckoutRefund {
  id: string;
  amount: Decimal;
  status: 'pending' | 'succeeded' | 'failed';
}

/** Money that the payer's bank has taken back while it is disputed; given back when it is won. */
export interface CheckoutDispute {
  id: string;
  amount: Decimal;
  status: 'open' | 'won' | 'lost';
}

/** The whole present state of a session. */
export interface CheckoutState {
  sessionId: string;
  /** `paid`: the payer has paid. `settled`: the money is ours. */
  status: 'open' | 'paid' | 'settled' | 'failed' | 'cancelled' | 'expired';
  paid?: { amount: Decimal; currency: string };
  risk: 'normal' | 'review';
  failureCode?: string;
  refunds: CheckoutRefund[];
  disputes: CheckoutDispute[];
}

/**
 * A hosted checkout: an outside party with a page of its own. Every call is idempotent by its `key`; an outcome that is not
 * known is asked for again with the same one.
 * @throws PartyRefused it will never do it; PartyAway it cannot be asked just now
 */
export interface CheckoutParty {
  createSession(session: NewCheckoutSession): Promise<{ sessionId: string; redirectUrl: string }>;
  getSession(sessionId: string): Promise<CheckoutState>;
  refund(refund: {
    key: string;
    sessionId: string;
    amount: Decimal;
    currency: string;
  }): Promise<{ refundId: string; status: CheckoutRefund['status'] }>;
  /**
   * Nothing when the signature is wrong or too old.
   * @throws PartyAway where the party must be asked what the message is about, and cannot be
   */
  verify(
    raw: Buffer,
    headers: IncomingHttpHeaders,
  ): CheckoutCallback | undefined | Promise<CheckoutCallback | undefined>;
}

/** A callback says no more than which session to look at. */
export interface CheckoutCallback {
  /** The party's name for the message: the same when it comes again. */
  externalId: string;
  /** null: it is about none of ours. */
  sessionId: string | null;
}
