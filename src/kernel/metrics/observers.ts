/** A call of an outside party, as its port has it. */
export interface PartyCall {
  party: string;
  /** The port's own name of it: `order`, `ask`, `changes` … */
  operation: string;
  outcome: 'ok' | 'refused' | 'away' | 'unknown' | 'failed';
  seconds: number;
}

/** What of a party's may turn out to be of no use: a closed set, for it labels a metric. */
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

/** What happens in a process and is counted, each told where it happens. None may throw, or be waited for. */
export interface Observers {
  /** A callback of a party could not be verified. */
  observeForged(party: string): void;
  /** What a party lists of what has changed could not be read. */
  observeUnreadableList(party: string): void;
  /** What a party said could not be used, by what it was: nothing is done on it. */
  observeUnusable(party: string, what: UnusableInput): void;
  observePartyCall(call: PartyCall): void;
  /** A party is not tried in passing from now on, or is again. @param gate whose tries */
  observeBreaker(gate: 'first_step' | 'workflow', party: string, open: boolean): void;
  /** The newest block of a chain, as this process has read it. @param at when it was made; null: this process reads it no more */
  observeChainHead(chain: string, at: Date | null): void;
  /** An authorization was recorded. @param reason of a decline */
  observeAuthorization(outcome: 'approved' | 'forced' | 'declined', reason: string | null): void;
}

const nothing = () => undefined;

/** Where nobody counts. */
export const NO_OBSERVERS: Observers = {
  observeForged: nothing,
  observeUnreadableList: nothing,
  observeUnusable: nothing,
  observePartyCall: nothing,
  observeBreaker: nothing,
  observeChainHead: nothing,
  observeAuthorization: nothing,
};
