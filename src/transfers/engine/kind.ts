import type { z } from 'zod';
import type { Sql, Tx } from '../../kernel/db/database';
import type { IdKind } from '../../kernel/ids';
import type { StatusKind } from '../../kernel/ledger/status-changes';
import type { Decimal } from '../../kernel/money/money';
import type { WebhookEvent } from '../../kernel/outbox/events';
import type { MoneyParty } from '../../kernel/outbox/queues';
import type { ScreeningResult } from '../../parties/screening/word';
import type { WantedBreak } from '../../process/breaks/operations';
import type { Process } from '../../process/workflow-command';
import type { Services } from '../../services';
import type { Money } from './books/inflow';
import type { ComponentTable, Holding } from './books/position';
import type { ResolutionKind } from './books/resolutions';
import type { Decision, Part, PartyWord, Situation, Transfer, Transition } from './record';

/** The fields that name a transfer's workflow. */
export type ProcessSubject = Pick<Transfer, 'id' | 'tenantId' | 'partyRef'>;
/** The fields that name a workflow that starts before the transfer exists. */
export type NamedByParty = Pick<ProcessSubject, 'partyRef'> & Partial<ProcessSubject>;

/**
 * Outcome of looking up a party's name.
 * `known`: a transfer has the name and was signalled.
 * `kept`: a new transfer was made.
 * `nothing`: no money, or not ours.
 * `open`: a transfer or the party will know the name soon; ask again.
 * `missing`: the party does not know a name that it reported; a person must ask.
 */
export type Discovered = 'known' | 'kept' | 'nothing' | 'open' | 'missing';

/**
 * Defines a kind of transfer: data, pure functions of the situation, and the calls to its party. The engine owns
 * locks, postings, retries, breaks and events.
 */
export interface TransferKind<Terms, Word extends PartyWord> {
  readonly name: StatusKind;
  /** The sort of the ids of its transfers. */
  readonly idKind: IdKind;
  /** The outside party that moves the money. Party and `partyRef` together identify a transfer. */
  readonly party: MoneyParty;
  /** The workflow of the kind. */
  readonly process: Process<ProcessSubject>;
  /** Set where the party's name, and not the record's id, names the workflow. */
  readonly namedBy?: 'party_ref';
  /** The workflow that looks up a name without a transfer. Needless once a transfer has the name. */
  readonly strangers?: Process<NamedByParty>;
  readonly terms: z.ZodType<Terms>;
  readonly word: z.ZodType<Word>;
  readonly components: ComponentTable;
  readonly transitions: readonly Transition[];
  /**
   * The system's next choice, or undefined. The engine stores it as a decision before anything follows from it. A
   * deadline counts only with an answer from after it (`askedAt`), or while the party cannot know the transfer.
   */
  choose(situation: Situation<Terms, Word>): NewDecision | undefined;
  /** Amounts of a word that never fall, by name. A word that lowers or lacks one takes something back. */
  measures(word: Word): Record<string, Decimal>;
  /** Every amount of a word. A word is unreadable when an amount does not fit its currency. */
  amounts(word: Word, situation: Situation<Terms, Word>): Money[];
  /**
   * The parts of a word: by the party's names, or with our id where we ordered them.
   * @param before the situation without this word
   */
  parts(word: Word, before: Situation<Terms, Word>): (string | Part)[];
  /**
   * The next trigger of the table of transitions, or undefined. A trigger without a transition means an impossible
   * word: the status stays and a break opens.
   */
  trigger(situation: Situation<Terms, Word>): string | undefined;
  /** Our failure code for the status, or null. */
  failure(situation: Situation<Terms, Word>, on: string): string | null;
  /** The holdings that the books must have. The engine adds the balancing entries. */
  position(situation: Situation<Terms, Word>): Holding[];
  /** Outstanding orders to the party, in sequence. */
  orders(situation: Situation<Terms, Word>): Order[];
  /** Asks another party before the first order, outside of any transaction: whether the order may be given. Absent: always. */
  clear?(services: Services, situation: Situation<Terms, Word>): Promise<Clearance>;
  /** Set where a screening (../screening) may hold the transfer back, so that people may decide on it. */
  readonly screening?: Screenable<Terms, Word>;
  /** Gives one order, under its key. @throws PartyRefused final; PartyAway when the outcome is unknown: retry */
  give(services: Services, situation: Situation<Terms, Word>, order: Order): Promise<Given<Word>>;
  /** Asks for the party's word. @throws PartyAway when the party cannot be asked now */
  ask(services: Services, situation: Situation<Terms, Word>): Promise<Given<Word> | 'unknown_to_party'>;
  /**
   * Asks for the words of several transfers at once, with fewer calls than for each. Leaves out transfers that the party cannot
   * tell of now. Set where {@link advanceAll} may make steps of many, so the kind has no orders.
   */
  askAll?(services: Services, all: readonly Situation<Terms, Word>[]): Promise<ReadonlyMap<string, Word>>;
  /**
   * Reads other domains under the record's lock, after a word was received: for example a blocked user, or a closed
   * account. The engine stores the result as a decision, so that all rules stay pure.
   * @param before the situation with the previous word
   */
  consider?(
    tx: Tx,
    situation: Situation<Terms, Word>,
    before: Situation<Terms, Word>,
  ): Promise<NewDecision | undefined>;
  /**
   * The word as a person concludes it: open amounts end as paid or failed, settled amounts stay. Undefined where
   * nothing is open.
   * @param situation with the decision, and with the party's own word
   */
  concluded?(situation: Situation<Terms, Word>, as: 'paid' | 'failed'): Word | undefined;
  /** The decisions by which people may take money of this kind out of suspense. */
  readonly resolutions: readonly ResolutionKind[];
  /** Money in suspense that is promised: to a refund under way, or to the client. People cannot take it out. */
  pledged?(situation: Situation<Terms, Word>): Money[];
  /**
   * Refunds that we ordered and that are undecided. Until then nobody may claim suspense below zero in their
   * currency.
   */
  asked?(situation: Situation<Terms, Word>): Money[];
  /**
   * Set where another process reads a party without a change list, and signals transfers. A transfer outside of what
   * the process reads is polled at growing intervals.
   */
  readonly follower?: Follower<Terms, Word>;
  /**
   * Whether something may change that the party's list does not report. The transfer is then polled at growing
   * intervals.
   */
  unlisted?(services: Services, situation: Situation<Terms, Word>): boolean;
  /**
   * Amount that the party owes for the transfer and that no decision has released. Stored in the row for SQL
   * statements.
   */
  unreleased?(situation: Situation<Terms, Word>): Decimal;
  /**
   * Whether the transfer waits for the party, a person or the time. Otherwise a step runs only when the party's list
   * names it.
   */
  isOpen(situation: Situation<Terms, Word>): boolean;
  /** When time alone changes something, or null. */
  deadline(situation: Situation<Terms, Word>): Date | null;
  /** The client's events for a change of status. Some changes have none. */
  eventsOf(situation: Situation<Terms, Word>, previous: string): WebhookEvent[];
  /**
   * Stores what other domains keep about new words, decisions or postings, in the same transaction. Each comes with its
   * present holdings.
   */
  kept?(tx: Tx, all: readonly { situation: Situation<Terms, Word>; holds: readonly Holding[] }[]): void;
  /** Breaks of the kind beyond those of the engine. Each is shown once. */
  notices(situation: Situation<Terms, Word>): WantedBreak[];
  /** Kinds of breaks that another process has opened for the transfer, and whose cause is gone. */
  passed?(situation: Situation<Terms, Word>): readonly string[];
}

/** Whether the first order may be given. */
export interface Clearance {
  /** `wait`: the transfer is polled, and its order is not given. A decision ends the transfer. */
  verdict: 'clear' | 'wait' | NewDecision;
  /** Stores the other party's answer in the transaction of the step. @param situation under its lock */
  keep?(tx: Tx, situation: Situation): void;
}

/** How people decide on the screening of a transfer. */
export interface Screenable<Terms, Word> {
  /** Key of the screening of the present amount. */
  keyOf(situation: Situation<Terms, Word>): string;
  /**
   * The decisions by which people end the screening.
   * @throws Problem 409 `invalid_transition` when it is not theirs to decide
   */
  decisions(
    tx: Tx,
    situation: Situation<Terms, Word>,
    given: {
      verdict: 'cleared' | 'refused';
      reason: string | null;
      /** The party's present result. */
      result: ScreeningResult;
    },
  ): Promise<NewDecision[]>;
  /** The amount of the transfer. */
  moneyOf(situation: Situation<Terms, Word>): Money;
  /** Effect of a clearance beyond status and postings, in words: `ordered of the party`. */
  readonly leadsTo?: string;
  /** The newest changes of the transfer's screenings, oldest first, for its story. */
  changes(sql: Sql, id: string, limit: number): Promise<object[]>;
}

export interface Follower<Terms, Word extends PartyWord> {
  followed(services: Services): Promise<ReadonlySet<string>>;
  nameOf(situation: Situation<Terms, Word>): string;
}

/** Any kind. The engine reads neither terms nor words. */
export type AnyKind = TransferKind<unknown, PartyWord>;

export type NewDecision = Pick<Decision, 'kind'> &
  Partial<Pick<Decision, 'amount' | 'currency' | 'accountId' | 'data' | 'reason'>>;

/** An instruction to the party. Its key never changes. */
export interface Order {
  key: string;
  /** `open`: the transfer's own order. `refund`: money that goes back. */
  what: 'open' | 'refund';
}

export interface Given<Word = PartyWord> {
  /** The party's name for the transfer, from now on. */
  partyRef?: string;
  /** The party's word, where the answer holds it. Null: there is no state to ask for yet. */
  word?: Word | null;
  /** Stores further data of the answer, in the same transaction. */
  keep?: (tx: Tx) => Promise<void>;
}
