import type { NetworkMessage } from '../../src/cards/events/record';

/**
 * A random run over several cards, accounts and tenants, as data: waves of operations, each wave at once. An index
 * names a card, account or user of the world, modulo their number. Amounts are minor units of the effective currency. A
 * chain is named by its age on the card; 0 is the newest. A script therefore stays valid when the shrinker removes
 * parts.
 */

/** The way to the engine: a transaction of its own, or one of two gatherers, which stand for two processes. */
export type Via = 'transaction' | 'gathered' | 'gathered elsewhere';

export interface Way {
  via: Via;
  /** The number of identical requests at once under one idempotency key. 0: one request without a key. */
  keyed: number;
  /** Another tenant sends the request. The answer must be a 404 without an effect. */
  stranger: boolean;
}

/** The authorization that a message names: by age, none, or an unknown one. */
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
  /** The programme blocks the merchant's category. */
  blockedMerchant: boolean;
}

/** A card network's message on one of its transactions. */
export interface NetworkOperation extends Way {
  do: 'network';
  event: NetworkMessage['event'];
  card: number;
  minor: number;
  /** Null: the card's currency. */
  currency: string | null;
  /** The network's transaction, as an index on the card. */
  reference: number;
  /** The minute of sending. Messages arrive in another order. */
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
  /** `ask` requests a card like the named one. `issue` and `issue_failed` are the processor's answers. */
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

/** A request for a quote, for an issuance like that of the card or for its funding, with a buffer. */
export interface PriceOperation {
  do: 'price';
  of: 'issue' | 'topup';
  card: number;
  minor: number;
  /** The share that goes to the buffer. */
  allocation: string;
  stranger: boolean;
}

/** Takes a quote (0 is the newest) with `takers` requests at once, each under its own key. */
export interface TakeOperation {
  do: 'take';
  quote: number;
  takers: number;
  stranger: boolean;
}

/** Requests a withdrawal or a closure `takers` times at once. It is carried out later. */
export interface RequestOperation {
  do: 'ask to withdraw' | 'ask to close';
  card: number;
  minor: number;
  takers: number;
  stranger: boolean;
}

/** Carries out an accepted operation (0 is the newest) `times` times at once. A stranger only reads it. */
export interface CarryOutOperation {
  do: 'carry out';
  operation: number;
  times: number;
  stranger: boolean;
}

/** Asks the processor for a card's closure. The second question confirms it. */
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

/** Replaces the limits of a card or a user. */
export interface LimitsOperation {
  do: 'limits';
  of: 'card' | 'user';
  subject: number;
  /** The daily limit in minor units. Null removes the limits. */
  minor: number | null;
}

/** Repeats an earlier request with a key. `of` counts back from the last one. */
export interface AgainOperation {
  do: 'again';
  of: number;
  via: Via;
  /** With the same key but another body. */
  altered: boolean;
}

/** Moves the market to other rates. */
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
