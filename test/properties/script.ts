import type { NetworkMessage } from '../../src/cards/events/record';

/**
 * A random life of several cards, accounts and tenants, as data: waves of operations, each wave run at once. Cards,
 * accounts and users are named by an index into the world (taken modulo how many there are), amounts are minor units of
 * the currency that turns out to count, and a chain is named by its age on the card: 0 is the newest. So a script stays
 * meaningful when its parts are taken away one by one.
 */

/** How an operation reaches the engine: in a transaction of its own, or by one of two gatherers (two processes). */
export type Via = 'transaction' | 'gathered' | 'gathered elsewhere';

export interface Way {
  via: Via;
  /** How many identical requests are sent at once under one idempotency key; 0: one without a key. */
  keyed: number;
  /** Another tenant asks: it must be told 404 and change nothing. */
  stranger: boolean;
}

/** Which authorization a message names: by age, none at all, or one that the card does not know. */
export type ChainChoice = number | 'none' | 'unknown';

export interface ProcessorOperation extends Way {
  do: 'authorization' | 'settle' | 'cancel' | 'refund' | 'decline';
  card: number;
  /** Null: the message has no amount. */
  minor: number | null;
  /** Null: the message names no currency. */
  currency: string | null;
  chain: ChainChoice;
  final: boolean;
  /** The merchant is of a kind that the programme declines. */
  blockedMerchant: boolean;
}

/** What a card network says of one of its transactions. */
export interface NetworkOperation extends Way {
  do: 'network';
  event: NetworkMessage['event'];
  card: number;
  minor: number;
  /** Null: the card's. */
  currency: string | null;
  /** Which of the network's transactions on that card. */
  reference: number;
  /** The minute at which it was sent: messages come in another order than that. */
  sent: number;
  final: boolean;
  blockedMerchant: boolean;
}

export interface HolderOperation extends Way {
  do: 'topup' | 'withdraw' | 'freeze' | 'unfreeze' | 'close';
  card: number;
  minor: number;
  reason: 'manual' | 'risk' | 'provider' | 'insufficient_funds';
}

export interface IssuingOperation {
  /** `ask` for a card like that one; `issue` and `issue_failed` are the processor's answers. */
  do: 'ask' | 'issue' | 'issue_failed';
  card: number;
  minor: number;
}

export interface ExpiryOperation {
  do: 'expire';
  card: number;
  chain: number;
}

export interface AccountOperation {
  do: 'transfer' | 'exchange' | 'deposit' | 'withdrawal';
  account: number;
  to: number;
  minor: number;
  stranger: boolean;
}

export interface UserOperation {
  do: 'block' | 'unblock';
  user: number;
}

/** What an issuance like that of a card, or its funding, would cost with a buffer. */
export interface PriceOperation {
  do: 'price';
  of: 'issue' | 'topup';
  card: number;
  minor: number;
  /** The share that is set aside. */
  allocation: string;
  stranger: boolean;
}

/** A quote, the newest is 0, is taken: by so many at once, each with a key of its own. */
export interface TakeOperation {
  do: 'take';
  quote: number;
  takers: number;
  stranger: boolean;
}

/** A withdrawal or a closure that is accepted now and carried out later; asked for so many times at once. */
export interface RequestOperation {
  do: 'ask to withdraw' | 'ask to close';
  card: number;
  minor: number;
  takers: number;
  stranger: boolean;
}

/** An accepted operation, the newest is 0, is taken as far as it goes, so many times at once; a stranger asks what became of it. */
export interface CarryOutOperation {
  do: 'carry out';
  operation: number;
  times: number;
  stranger: boolean;
}

/** The processor is told that a card is to be closed: it confirms when it is asked again. */
export interface ConfirmOperation {
  do: 'confirm';
  card: number;
}

export type BufferedOperation =
  | PriceOperation
  | TakeOperation
  | RequestOperation
  | CarryOutOperation
  | ConfirmOperation;

/** The limits of a card, or of a user, are replaced. */
export interface LimitsOperation {
  do: 'limits';
  of: 'card' | 'user';
  subject: number;
  /** What a day allows, in minor units of the card, or of no currency; null takes the limits away. */
  minor: number | null;
}

/** The request with a key that came so many before is sent again. */
export interface AgainOperation {
  do: 'again';
  of: number;
  via: Via;
  /** With the same key but another body. */
  altered: boolean;
}

/** The market moves: other rates from the next wave on. */
export interface MarketOperation {
  do: 'market';
  epoch: number;
}

export type Operation =
  | ProcessorOperation
  | NetworkOperation
  | HolderOperation
  | IssuingOperation
  | BufferedOperation
  | ExpiryOperation
  | AccountOperation
  | UserOperation
  | LimitsOperation
  | AgainOperation
  | MarketOperation;

export type Script = Operation[][];

export const sizeOf = (script: Script): number => script.reduce((sum, wave) => sum + wave.length, 0);
