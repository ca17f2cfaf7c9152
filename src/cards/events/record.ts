import type { CardTransactionType } from '../../kernel/ledger/effects';
import type { Decimal } from '../../kernel/money/money';
import type { Channel } from '../../parties/card-processor/message';
import type { Funding } from '../buffered/record';
import type { FreezeReason } from '../cards/record';

export interface Merchant {
  /** In the card network. */
  id?: string;
  name?: string;
  mcc?: string;
  city?: string;
  country?: string;
}

/** Why an authorization was declined (decisions part 3). */
export type DeclineReason =
  | 'insufficient_funds'
  | 'card_not_active'
  | 'card_frozen'
  | 'card_closed'
  | 'user_blocked'
  | 'limit_exceeded'
  | 'invalid_merchant'
  | 'do_not_honor'
  /** A rule asks for a challenge of 3-D Secure and none is named, or the named one does not serve. */
  | 'authentication_required'
  /** No answer was there in time, or no rate: ours, and nobody pays a fee for it. */
  | 'processing_error';

/** Whether the challenge that an authorization names authenticates its payer. */
export type Authentication = 'valid' | 'invalid';

/** What a card processor reports of a card. Amounts are in `currency`. */
export interface ProcessorMessage {
  type: 'authorization' | 'settle' | 'cancel' | 'refund' | 'decline';
  cardId: string;
  /** Cancel and settle: all that is held when absent. */
  amount?: Decimal;
  /** The authorization's, or the card's, when absent. */
  currency?: string;
  /** Any reference of the authorization that it belongs to. */
  referenceId?: string;
  /** Settle: whatever is still held afterwards is released. */
  final?: boolean;
  merchant?: Merchant;
  channel?: Channel;
}

/** What a card network says of one of its transactions: in any order, and but for an authorization never refused. */
export interface NetworkMessage {
  type: 'network';
  event: 'authorization' | 'advice' | 'clearing' | 'reversal' | 'refund';
  cardId: string;
  /** Zero: an authorization that asks whether the card may be used. */
  amount: Decimal;
  currency: string;
  /** The network's, of all messages of the transaction. */
  reference: string;
  /** Clearing: nothing more will be cleared. */
  final?: boolean;
  merchant?: Merchant;
  channel?: Channel;
  /** The processor's name of the challenge that authenticated the payer. */
  challengeId?: string;
  sentAt: Date;
}

/** What the holder, the client or the card's own life asks for. Amounts are in the card's currency. */
export type CardMessage =
  /** `buffer`: what is set aside of what was held for it; nothing when absent. */
  | { type: 'issue'; cardId: string; processor: IssuedCard; buffer?: Decimal }
  | { type: 'issue_failed'; cardId: string; failure: string; buffer?: Decimal }
  | { type: 'topup' | 'withdraw'; cardId: string; amount: Decimal }
  /** Of a quote that was accepted: it has been held since. */
  | { type: 'fund'; cardId: string; funding: Funding }
  | { type: 'freeze' | 'unfreeze'; cardId: string; reason: FreezeReason }
  /** At once; or as the client asks, and when the processor has confirmed it. */
  | { type: 'close' | 'begin_closure' | 'end_closure'; cardId: string }
  | { type: 'expire'; cardId: string; authorizationId: string }
  | UnansweredMessage;

/** An authorization that was declined to the network because no answer was there in time. */
export interface UnansweredMessage extends Pick<ProcessorMessage, 'cardId' | 'merchant'> {
  type: 'unanswered';
  amount: Decimal;
  currency: string;
  /** The network's. */
  reference: string;
  /** What it holds after all has this reference; absent where it holds nothing. */
  referenceId?: string;
  /** Of its chain, since it came. */
  cancelled?: Decimal;
}

/** What the card processor gives of a card that it has issued. */
export interface IssuedCard {
  reference: string;
  last4: string;
  expiryMonth: number;
  expiryYear: number;
}

export type Message = (ProcessorMessage | NetworkMessage | CardMessage) & {
  /** The tenant that may reach the card, or null for every one. */
  reach: string | null;
  idempotencyKey?: string | null;
};

/** An event of a card as it was recorded: one line of its history, one `card_transaction`. */
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
  /** What it came to in the card's currency: the effects of `interface.md 3.4` use this. */
  billingAmount: Decimal;
  billingCurrency: string;
  referenceId: string;
  /** The event that this one follows. */
  linkedId: string | null;
  authorizationId: string | null;
  /** The fee that was taken with it, on the master account (settle, decline) or the funding account. */
  fee: Decimal;
  forced: boolean;
  declineReason: DeclineReason | null;
  source: EventSource | null;
  merchant: Merchant | null;
  /** The card's balances after it. */
  available: Decimal;
  pending: Decimal;
  spent: Decimal;
}

/** Why an event happened, where its type alone does not say it. */
export type EventSource = 'buffer' | 'closure' | 'expiry' | 'negative_balance' | 'settlement' | 'unanswered';

/** An authorization and what became of it: in its own currency, and in the card's (`billing`). */
export interface Authorization {
  /** The id of its card transaction. */
  id: string;
  cardId: string;
  referenceId: string;
  currency: string;
  billingCurrency: string;
  /** Billing per unit of the currency, markup included; kept to the end of its chain of events. */
  rate: Decimal;
  own: Counters;
  billing: Counters;
  /** The programme's settle fee, in percent, as it was at the authorization. */
  feePercent: Decimal;
  /** What is still held for the settle fee, on the master account. */
  feeHeld: Decimal;
  /** The net amount that its forced events have drawn from the card's buffer, in the card's currency. */
  bufferDrawn: Decimal;
  lastSettleId: string | null;
  expiresAt: Date;
  /** Of the event that opened it. Known where an authorization names it, which alone is judged by it. */
  merchant?: Merchant | undefined;
  createdAt: Date;
  updatedAt: Date;
}

/** `reversed`: released without a settlement, cancelled or expired. */
export const COUNTERS = ['authorized', 'settled', 'reversed', 'refunded'] as const;
export type Counter = (typeof COUNTERS)[number];
export type Counters = Record<Counter, Decimal>;

/** What is still held. */
export function remaining(counters: Counters): Decimal {
  return counters.authorized.minus(counters.settled).minus(counters.reversed);
}

/** What may still be refunded. */
export function refundable(counters: Counters): Decimal {
  return counters.settled.minus(counters.refunded);
}
