import type { IncomingHttpHeaders } from 'node:http';
import type { Decimal } from '../../kernel/money/money';
import type { PartyCallback } from '../protocol/callback';
import type { ReadChanges } from '../protocol/changes';
import type { CheckoutWord } from './word';

/** How a payer may pay. */
export const CHECKOUT_METHODS = ['card', 'bank_transfer', 'crypto'] as const;

/** What the payer's page is made for. Amounts are in the payer's currency. */
export interface NewCheckoutSession {
  /** Asked again with the same key, it is the same session. */
  key: string;
  depositId: string;
  method: (typeof CHECKOUT_METHODS)[number];
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

export interface MadeSession {
  sessionId: string;
  redirectUrl: string;
  /** Its whole state, where the answer holds it. */
  word?: CheckoutWord;
}

/** Money that is to go back to the payer. */
export interface CheckoutRefundOrder {
  /** Asked again with the same key, it is the same refund. */
  key: string;
  sessionId: string;
  amount: Decimal;
  currency: string;
}

/** A callback; `ref` is the session to look at. */
export interface CheckoutCallback extends PartyCallback {
  /** null: it is about none of ours. */
  sessionId: string | null;
}

/**
 * A hosted checkout: an outside party with a page of its own. Every call is idempotent by its `key`; an outcome that is not
 * known is asked for again with the same one.
 * @throws PartyRefused it will never do it; PartyAway it cannot be asked just now
 */
export interface CheckoutParty {
  createSession(session: NewCheckoutSession): Promise<MadeSession>;
  ask(sessionId: string): Promise<CheckoutWord | 'unknown_to_party'>;
  refund(
    refund: CheckoutRefundOrder,
  ): Promise<{ refundId: string; status: 'pending' | 'succeeded' | 'failed' }>;
  /** Also of sessions that no order of ours has made. */
  changes: ReadChanges;
  /** That a payment has settled is told by neither callbacks nor `changes`: it is asked for. */
  settlesSilently?: true;
  /**
   * Nothing when the signature is wrong or too old.
   * @throws PartyAway where the party must be asked what the message is about, and cannot be
   */
  verify(
    raw: Buffer,
    headers: IncomingHttpHeaders,
  ): CheckoutCallback | undefined | Promise<CheckoutCallback | undefined>;
}
