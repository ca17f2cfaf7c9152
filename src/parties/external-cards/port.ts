import type { IncomingHttpHeaders } from 'node:http';
import type { Decimal } from '../../kernel/money/money';
import type { PartyCallback } from '../protocol/callback';
import type { ReadChanges } from '../protocol/changes';
import type { CardOrderWord } from './word';

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

/** What the party says of an order. */
export interface CardOrderAnswer {
  word: CardOrderWord;
  /** The party's page, while action is required. A secret of the payer's: it must not stand in the word. */
  actionUrl?: string;
}

/** A callback; `ref` is the order's key. */
export interface CardCallback extends PartyCallback {
  key: string;
}

/** The outside party that moves money from and to payment cards. */
export interface ExternalCards {
  /**
   * Charges a card or pays to one: its whole state at once, or the state of the first order under that key.
   * @throws PartyRefused it will never do it; PartyAway the outcome is not known: the same again
   */
  order(kind: 'topup' | 'withdrawal', order: CardOrder): Promise<CardOrderAnswer>;
  /** @throws PartyAway nothing is known just now */
  ask(key: string): Promise<CardOrderAnswer | 'unknown_to_party'>;
  changes: ReadChanges;
  /** Nothing when the signature is wrong or too old, or the message is none of these. */
  verify(raw: Buffer, headers: IncomingHttpHeaders): CardCallback | undefined;
}
