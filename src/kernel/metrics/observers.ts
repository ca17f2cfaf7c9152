import type { Decimal } from '../money/money';

/** A call to a party at its port. */
export interface PartyCall {
  party: string;
  /** The port's own name of the call: `order`, `ask`, `changes` … */
  operation: string;
  outcome: 'ok' | 'refused' | 'away' | 'unknown' | 'failed';
  seconds: number;
}

/** Kinds of unusable input from a party. A closed set, because it labels a metric. */
export type UnusableInput =
  | 'callback'
  | 'unknown_name'
  | 'word'
  | 'version'
  | 'list_row'
  | 'row_not_applied'
  | 'list_endless'
  | 'list_repeats'
  | 'list_shrunk'
  | 'rates'
  | 'rates_time'
  | 'rate_row';

/** An amount of one transaction of an account or a card. `kind` is its type, with its subtype: `deposit/checkout`, `settle`. */
export interface MovedAmount {
  kind: string;
  currency: string;
  /** Never negative, because the kind tells the direction. */
  amount: Decimal;
}

/** A transfer has a new status. */
export interface TransferTurn {
  kind: string;
  status: string;
}

/** How an attempt to deliver a webhook ended. `unreachable`: no connection, or one that broke before the answer. */
export const WEBHOOK_OUTCOMES = [
  'delivered',
  'http_4xx',
  'http_5xx',
  'http_other',
  'timeout',
  'unreachable',
] as const;
export type WebhookOutcome = (typeof WEBHOOK_OUTCOMES)[number];

/** Counters of events in the process, called where the event happens. Observers never throw and never block. */
export interface Observers {
  /** A party's callback failed its verification. */
  observeForged(party: string): void;
  /** A party's list of changes could not be read. */
  observeUnreadableList(party: string): void;
  /** A party sent unusable input, which was ignored. */
  observeUnusable(party: string, what: UnusableInput): void;
  observePartyCall(call: PartyCall): void;
  /** A party's circuit breaker opened or closed. @param gate the caller that it protects */
  observeBreaker(gate: 'first_step' | 'report_step' | 'workflow', party: string, open: boolean): void;
  /**
   * This process read a newer block of a chain. @param at time of the block; null when the process stops reading the
   * chain
   */
  observeChainHead(chain: string, at: Date | null): void;
  /** An authorization was recorded. @param reason decline reason, else null */
  observeAuthorization(outcome: 'approved' | 'forced' | 'declined', reason: string | null): void;
  /** A transaction of an account or a card was committed. */
  observeMoved(moved: MovedAmount): void;
  /** A transfer got a status, and the transaction was committed. */
  observeTurn(turn: TransferTurn): void;
  /** An attempt to deliver a webhook ended. */
  observeWebhook(outcome: WebhookOutcome, seconds: number): void;
  /** A client or an admin presented a credential that is not valid. */
  observeFailedSignIn(): void;
  /** A request for sensitive data. `refused`: beyond the limit of its tenant. */
  observeSensitive(outcome: 'answered' | 'refused'): void;
}

const nothing = () => undefined;

/** Observers that count nothing. */
export const NO_OBSERVERS: Observers = {
  observeForged: nothing,
  observeUnreadableList: nothing,
  observeUnusable: nothing,
  observePartyCall: nothing,
  observeBreaker: nothing,
  observeChainHead: nothing,
  observeAuthorization: nothing,
  observeMoved: nothing,
  observeTurn: nothing,
  observeWebhook: nothing,
  observeFailedSignIn: nothing,
  observeSensitive: nothing,
};
