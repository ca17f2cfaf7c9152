import type { IncomingHttpHeaders } from 'node:http';
import type { Decimal } from '../../kernel/money/money';

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

/** Where the party has a payout. */
export interface PayoutState {
  /** The party's name for it; empty when it took no order. */
  providerId: string;
  status: 'processing' | 'sent' | 'completed' | 'failed' | 'returned';
  /** The party's reason, a word without personal data. */
  failureCode?: string;
  /** All that has come back so far, in the order's currency; the whole when absent. */
  returned?: Decimal;
}

/** A callback says no more than which payout to look at. */
export interface PayoutCallback {
  /** The party's name for the message: the same when it comes again. */
  externalId: string;
  /** The order's key. */
  key: string;
}

/** The outside party that pays. */
export interface PayoutParty {
  /**
   * Orders a payout. A refusal is a state: `failed`.
   * @throws PartyAway the outcome is not known: its state is asked for, and where there is none it is ordered again
   */
  submit(order: PayoutOrder): Promise<PayoutState>;
  /** @throws PartyAway nothing is known just now */
  get(key: string): Promise<PayoutState | 'unknown_to_party'>;
  /** Nothing when the signature is wrong or too old, or the message is none of these. */
  verify(raw: Buffer, headers: IncomingHttpHeaders): PayoutCallback | undefined;
}
