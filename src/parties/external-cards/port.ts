import type { IncomingHttpHeaders } from 'node:http';
import type { Decimal } from '../../kernel/money/money';

/** What is to be taken from a payment card, or paid to it. Never a card number: the token that stands for it. */
export interface CardOrder {
  /** Ours: asking again with the same key gives the first order's state and never a second movement. */
  key: string;
  token: string;
  amount: Decimal;
  currency: string;
  /** Whom the payer deals with, as the page names it. */
  merchant: string;
  /** Where the payer's browser goes after the party's page. Its return means nothing. */
  returnUrl: string | null;
  /** The payer must have acted by then. */
  expiresAt: Date;
  /** Where the party tells that something has happened. */
  callbackUrl: string;
}

/** The whole present state of an order. */
export interface CardOrderState {
  /**
   * `requires_action`: the payer must confirm on the party's page. `processing`: the party has taken it on and the
   * money is on its way. `succeeded`: it has arrived – from a charge with us, from a push on the card.
   */
  status: 'requires_action' | 'processing' | 'succeeded' | 'failed';
  /** The party's page, while action is required. */
  actionUrl?: string;
  /** The party's reason: a word without personal data. */
  failureCode?: string;
  /** What of the amount has gone back and stays there: charged back, or not taken by the card's bank. */
  returned: Decimal;
}

/** A callback says no more than which order to look at. */
export interface CardCallback {
  /** The party's name for the message: the same when it comes again. */
  externalId: string;
  /** The order's key. */
  key: string;
}

/**
 * The outside party that moves money from and to payment cards. A refusal is a state: `failed`.
 * @throws PartyAway it cannot be asked just now, or its answer was lost: the same is asked again, with the same key
 */
export interface ExternalCards {
  charge(order: CardOrder): Promise<CardOrderState>;
  push(order: CardOrder): Promise<CardOrderState>;
  get(key: string): Promise<CardOrderState | 'unknown_to_party'>;
  /** Nothing when the signature is wrong or too old, or the message is none of these. */
  verify(raw: Buffer, headers: IncomingHttpHeaders): CardCallback | undefined;
}
