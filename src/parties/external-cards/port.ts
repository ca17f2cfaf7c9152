import type { IncomingHttpHeaders } from 'node:http';
import type { Decimal } from '../../kernel/money/money';
import type { PartyCallback } from '../protocol/callback';
import type { ReadChanges } from '../protocol/changes';
import type { CardOrderWord } from './word';

/** An order to charge or pay a payment card. A token stands for the card; a card number never travels. */
export interface CardOrder {
  /** Idempotency key of ours: a repeat returns the state of the first order. */
  key: string;
  token: string;
  amount: Decimal;
  currency: string;
  /** The merchant's name on the page. */
  merchant: string;
  /** Where the payer's browser goes after the party's page. The return proves nothing. */
  returnUrl: string | null;
  /** Latest time for the payer's confirmation. */
  expiresAt: Date;
  /** Where the party reports that the order has changed. */
  callbackUrl: string;
}

/** The party's answer about an order. */
export interface CardOrderAnswer {
  word: CardOrderWord;
  /** The party's page, while action is required. It is a secret of the payer, so the state must not hold it. */
  actionUrl?: string;
}

/** A callback. `ref` is the key of the order that has changed. */
export interface CardCallback extends PartyCallback {
  key: string;
}

/** The outside party that moves money from and to payment cards. */
export interface ExternalCards {
  /**
   * Charges a card or pays to one, idempotent by key.
   * @returns the order's whole state
   * @throws PartyRefused the party has refused for good; PartyAway the outcome is unknown: repeat the order
   */
  order(kind: 'topup' | 'withdrawal', order: CardOrder): Promise<CardOrderAnswer>;
  /** @throws PartyAway the state is unknown now */
  ask(key: string): Promise<CardOrderAnswer | 'unknown_to_party'>;
  changes: ReadChanges;
  /** Undefined when the signature is wrong or too old, or when the message is not such a callback. */
  verify(raw: Buffer, headers: IncomingHttpHeaders): CardCallback | undefined;
}
