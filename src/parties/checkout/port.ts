import type { IncomingHttpHeaders } from 'node:http';
import type { Decimal } from '../../kernel/money/money';
import type { PartyCallback } from '../protocol/callback';
import type { ReadChanges } from '../protocol/changes';
import type { CheckoutWord } from './word';

/** How a payer may pay. */
export const CHECKOUT_METHODS = ['card', 'bank_transfer', 'crypto'] as const;

/** An order of a payment page. Amounts are in the payer's currency. */
export interface NewCheckoutSession {
  /** Idempotency key: a repeat returns the same session. */
  key: string;
  depositId: string;
  method: (typeof CHECKOUT_METHODS)[number];
  amount: Decimal;
  currency: string;
  /** The payee's name on the page. */
  merchant: string;
  expiresAt: Date;
  /** Where the payer's browser goes afterwards. The return proves no payment. */
  returnUrl: string;
  /** Where the party reports that the session has changed. */
  callbackUrl: string;
}

export interface MadeSession {
  sessionId: string;
  redirectUrl: string;
  /** The whole state of the session, where the answer includes it. */
  word?: CheckoutWord;
}

/** An order to return money to the payer. */
export interface CheckoutRefundOrder {
  /** Idempotency key: a repeat returns the same refund. */
  key: string;
  sessionId: string;
  amount: Decimal;
  currency: string;
}

/** A callback. `ref` is the session that has changed. */
export interface CheckoutCallback extends PartyCallback {
  /** Null: the message is about no session of ours. */
  sessionId: string | null;
}

/**
 * A hosted checkout: an outside party with its own payment page. Every call is idempotent by its `key`. Repeat a call
 * with an unknown outcome under the same key.
 * @throws PartyRefused the party has refused for good; PartyAway the party cannot be reached now
 */
export interface CheckoutParty {
  createSession(session: NewCheckoutSession): Promise<MadeSession>;
  ask(sessionId: string): Promise<CheckoutWord | 'unknown_to_party'>;
  refund(
    refund: CheckoutRefundOrder,
  ): Promise<{ refundId: string; status: 'pending' | 'succeeded' | 'failed' }>;
  /** Lists also sessions that we did not order. */
  changes: ReadChanges;
  /** Neither callbacks nor `changes` report that a payment has settled, so the workflow must ask. */
  settlesSilently?: true;
  /**
   * Undefined when the signature is wrong or too old.
   * @throws PartyAway the party must say what the message is about, and cannot be reached
   */
  verify(
    raw: Buffer,
    headers: IncomingHttpHeaders,
  ): CheckoutCallback | undefined | Promise<CheckoutCallback | undefined>;
}
