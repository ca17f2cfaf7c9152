import type { IncomingHttpHeaders } from 'node:http';
import type { Sql, Tx } from '../../kernel/db/database';
import type { Decimal } from '../../kernel/money/money';
import type { PartyCallback } from '../protocol/callback';
import type { ReadChanges } from '../protocol/changes';
import type { PayoutWord } from './word';

/** How money may leave (decisions part 4, Payouts). */
export const PAYOUT_METHODS = ['sepa', 'swift', 'card', 'crypto'] as const;
export type PayoutMethod = (typeof PAYOUT_METHODS)[number];

/**
 * A payee's account (decisions part 4, Payouts). Personal data: sealed at rest, masked in answers, and never in a log,
 * history, event or error.
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

/** An order of a payout. */
export interface PayoutOrder {
  /** Idempotency key of ours: a repeat returns the state of the first order. */
  key: string;
  method: PayoutMethod;
  /** The amount that the destination receives, in `currency`. */
  amount: Decimal;
  currency: string;
  destination: Destination;
  /** Where the party reports that the payout has changed. */
  callbackUrl: string;
}

/** A callback. `ref` is the key of the order that has changed. */
export interface PayoutCallback extends PartyCallback {
  key: string;
}

/** How far the request to give a payout back is. `pending`: the payee's bank has not decided. */
export type RecallState = 'asked' | 'pending' | 'accepted' | 'refused';

/** Requests to give payouts back. A request is stored, and leaves later. */
export interface PayoutRecalls {
  /** Null: nobody has asked. */
  state(sql: Sql, key: string): Promise<RecallState | null>;
  /** @throws PartyRefused `not_found`, `not_sent`, `recall_asked`, `returned` */
  assertAskable(sql: Sql, key: string): Promise<void>;
  /** Asks once, in the caller's transaction. @throws PartyRefused as {@link assertAskable} */
  ask(tx: Tx, given: { key: string; reason: string }): Promise<void>;
}

/** The outside party that makes payouts. */
export interface PayoutParty {
  /**
   * Orders a payout, idempotent by key.
   * @returns the payout's whole state
   * @throws PartyRefused the party has refused for good; PartyAway the outcome is unknown: repeat the order
   */
  order(order: PayoutOrder): Promise<PayoutWord>;
  /** @throws PartyAway the state is unknown now */
  ask(key: string): Promise<PayoutWord | 'unknown_to_party'>;
  changes: ReadChanges;
  /** Absent: the party takes no such requests. */
  recalls?: PayoutRecalls;
  /** Undefined when the signature is wrong or too old, or when the message is not such a callback. */
  verify(raw: Buffer, headers: IncomingHttpHeaders): PayoutCallback | undefined;
}
