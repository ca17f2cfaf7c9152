import type { IncomingHttpHeaders } from 'node:http';
import type { Decimal } from '../../kernel/money/money';
import type { PartyCallback } from '../protocol/callback';
import type { ReadChanges } from '../protocol/changes';
import type { PayoutWord } from './word';

/** How money may leave (decisions part 4, Payouts). */
export const PAYOUT_METHODS = ['sepa', 'swift', 'card', 'crypto'] as const;
export type PayoutMethod = (typeof PAYOUT_METHODS)[number];

/**
 * Where money may be paid to (decisions part 4, Payouts). Personal data: sealed at rest, masked in answers, never in a
 * log, a history, an event or an error.
 */
export interface Destination {
  name?: string;
  /** Without spaces, in capitals. */
  iban?: string;
  bic?: string;
  country?: string;
  accountNumber?: string;
  cardToken?: string;
  chain?: string;
  asset?: string;
  address?: string;
}

/** What the party is to pay. */
export interface PayoutOrder {
  /** Ours: asking again with the same key gives the first order's state and never a second payment. */
  key: string;
  method: PayoutMethod;
  /** In `currency`: what the destination receives. */
  amount: Decimal;
  currency: string;
  destination: Destination;
  /** Where the party tells that the payout has moved. */
  callbackUrl: string;
}

/** A callback; `ref` is the order's key. */
export interface PayoutCallback extends PartyCallback {
  key: string;
}

/** The outside party that pays. */
export interface PayoutParty {
  /**
   * Orders a payout: its whole state at once, or the state of the first order under that key.
   * @throws PartyRefused it will never pay it; PartyAway the outcome is not known: the same again
   */
  order(order: PayoutOrder): Promise<PayoutWord>;
  /** @throws PartyAway nothing is known just now */
  ask(key: string): Promise<PayoutWord | 'unknown_to_party'>;
  changes: ReadChanges;
  /** Nothing when the signature is wrong or too old, or the message is none of these. */
  verify(raw: Buffer, headers: IncomingHttpHeaders): PayoutCallback | undefined;
}
