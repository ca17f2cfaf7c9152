import type { CardTransactionType } from '../../kernel/ledger/effects';
import type { Decimal } from '../../kernel/money/money';
import type { Channel } from '../../parties/card-processor/message';
import type { Funding } from '../buffered/record';
import type { FreezeReason } from '../cards/record';

export interface Merchant {
  /** The merchant's id in the card network. */
  id?: string;
  name?: string;
  mcc?: string;
  city?: string;
  country?: string;
}

/** Reasons of a decline (decisions part 3). */
export const DECLINE_REASONS = [
  'insufficient_funds',
  'card_not_active',
  'card_frozen',
  'card_closed',
  'user_blocked',
  'limit_exceeded',
  'invalid_merchant',
  'do_not_honor',
  /** A rule requires a challenge of 3-D Secure, and the message names none that serves it. */
  'authentication_required',
  /** We did not answer in time or had no rate. No fee is charged. */
  'processing_error',
] as const;
export type DeclineReason = (typeof DECLINE_REASONS)[number];

/** Whether the challenge that an authorization names authenticates it. */
export type Authentication = 'valid' | 'invalid';

/** A message of a card processor. Amounts are in `currency`. */
export interface ProcessorMessage {
  type: 'authorization' | 'settle' | 'cancel' | 'refund' | 'decline';
  cardId: string;
  /** Absent in a cancel or settle: the whole held amount. */
  amount?: Decimal;
  /** Absent: the currency of the authorization, or of the card. */
  currency?: string;
  /** Any reference of the authorization that the message belongs to. */
  referenceId?: string;
  /** Settle: releases the rest of the hold. */
  final?: boolean;
  merchant?: Merchant;
  channel?: Channel;
}

/**
 * A message of a card network about one of its transactions. Messages may come in any order. Only an authorization can
 * be declined.
 */
export interface NetworkMessage {
  type: 'network';
  event: 'authorization' | 'advice' | 'clearing' | 'reversal' | 'refund';
  cardId: string;
  /** Zero in an authorization: asks whether the card may be used. */
  amount: Decimal;
  currency: string;
  /** The network's reference, shared by all messages of the transaction. */
  reference: string;
  /** Clearing: no further clearing follows. */
  final?: boolean;
  merchant?: Merchant;
  channel?: Channel;
  /** The processor's id of the challenge that authenticated the payer. */
  challengeId?: string;
  /** The processor has authenticated the payer itself. */
  authenticated?: boolean;
  sentAt: Date;
}

/** A message of the client, the cardholder or a workflow. Amounts are in the card's currency. */
export type CardMessage =
  /** `buffer`: the part of the held amount that is set aside; default zero. */
  | { type: 'issue'; cardId: string; processor: IssuedCard; buffer?: Decimal }
  | { type: 'issue_failed'; cardId: string; failure: string; buffer?: Decimal }
  | { type: 'topup' | 'withdraw'; cardId: string; amount: Decimal }
  /** Funds a card by an accepted quote, whose amount is already held. */
  | { type: 'fund'; cardId: string; funding: Funding }
  | { type: 'freeze' | 'unfreeze'; cardId: string; reason: FreezeReason }
  /** Closes at once; or begins a closure, which ends when the processor confirms. */
  | { type: 'close' | 'begin_closure' | 'end_closure'; cardId: string }
  | { type: 'expire'; cardId: string; authorizationId: string }
  | UnansweredMessage;

/** An authorization that was declined because we did not answer the network in time. */
export interface UnansweredMessage extends Pick<ProcessorMessage, 'cardId' | 'merchant'> {
  type: 'unanswered';
  amount: Decimal;
  currency: string;
  /** The network's reference. */
  reference: string;
  /** The reference of the hold; absent when nothing is held. */
  referenceId?: string;
  /** The amount of its chain that was cancelled since the message arrived. */
  cancelled?: Decimal;
}

/** The processor's data of an issued card. */
export interface IssuedCard {
  reference: string;
  last4: string;
  expiryMonth: number;
  expiryYear: number;
}

export type Message = (ProcessorMessage | NetworkMessage | CardMessage) & {
  /** The tenant that may reach the card; null for any tenant. */
  reach: string | null;
  idempotencyKey?: string | null;
};

/** A recorded event of a card: a line of its history and a `card_transaction` on the wire. */
export interface CardTransaction {
  id: string;
  cardId: string;
  tenantId: string;
  /** Its number among the entries of the card's ledger account. */
  number: number;
  at: Date;
  type: CardTransactionType;
  amount: Decimal;
  currency: string;
  /** The amount in the card's currency. The effects of `interface.md 3.4` use this amount. */
  billingAmount: Decimal;
  billingCurrency: string;
  referenceId: string;
  /** The event that this event follows. */
  linkedId: string | null;
  authorizationId: string | null;
  /** The fee that was charged with it: to the master account (settle, decline) or to the funding account. */
  fee: Decimal;
  forced: boolean;
  declineReason: DeclineReason | null;
  source: EventSource | null;
  merchant: Merchant | null;
  /** The card's balances after the event. */
  available: Decimal;
  pending: Decimal;
  spent: Decimal;
}

/** The cause of an event that its type does not tell. */
export const EVENT_SOURCES = [
  'buffer',
  'closure',
  'expiry',
  'negative_balance',
  'settlement',
  'unanswered',
] as const;
export type EventSource = (typeof EVENT_SOURCES)[number];

/** An authorization with its counters, in its own currency and in the card's currency (`billing`). */
export interface Authorization {
  /** The id of its card transaction, which is the authorization's id. */
  id: string;
  cardId: string;
  referenceId: string;
  currency: string;
  billingCurrency: string;
  /** Billing amount per unit of the currency, markup included. Fixed for the whole chain of events. */
  rate: Decimal;
  own: Counters;
  billing: Counters;
  /** The programme's settle fee in percent at the time of the authorization. */
  feePercent: Decimal;
  /** The part of the settle fee that is still held on the master account. */
  feeHeld: Decimal;
  /** The net amount that its forced events drew from the card's buffer, in the card's currency. */
  bufferDrawn: Decimal;
  lastSettleId: string | null;
  expiresAt: Date;
  /**
   * The merchant of the event that opened it. Loaded only when an `authorization` message names it, because only that
   * one needs it.
   */
  merchant?: Merchant | undefined;
  createdAt: Date;
  updatedAt: Date;
}

/** `reversed`: released without a settlement, by a cancel or an expiry. */
export const COUNTERS = ['authorized', 'settled', 'reversed', 'refunded'] as const;
export type Counter = (typeof COUNTERS)[number];
export type Counters = Record<Counter, Decimal>;

/** The amount that is still held. */
export function remaining(counters: Counters): Decimal {
  return counters.authorized.minus(counters.settled).minus(counters.reversed);
}

/** The amount that may still be refunded. */
export function refundable(counters: Counters): Decimal {
  return counters.settled.minus(counters.refunded);
}
