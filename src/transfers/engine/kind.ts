import type { z } from 'zod';
import type { Tx } from '../../kernel/db/database';
import type { StatusKind } from '../../kernel/ledger/status-changes';
import type { Decimal } from '../../kernel/money/money';
import type { WebhookEvent } from '../../kernel/outbox/events';
import type { MoneyParty } from '../../kernel/outbox/queues';
import type { WantedBreak } from '../../process/breaks/operations';
import type { Process } from '../../process/workflow-command';
import type { Services } from '../../services';
import type { DoorKind } from './books/doors';
import type { Money } from './books/inflow';
import type { ComponentTable, Holding } from './books/position';
import type { Decision, Part, PartyWord, Situation, Transfer, Transition } from './record';

/** What a transfer's workflow is named by. */
export type ProcessSubject = Pick<Transfer, 'id' | 'tenantId' | 'partyRef'>;
/** The same of one that begins before there is a record. */
export type NamedByParty = Pick<ProcessSubject, 'partyRef'> & Partial<ProcessSubject>;

/**
 * What a party's name for something has come to. `known`: a transfer has it, and was told to look. `kept`: it is a new
 * transfer now. `nothing`: there is no money in it, or it is none of ours. `open`: a transfer, or the
 * party, is about to know it; until then it is asked for again. `missing`: the party does not know what it told of, and a person must ask.
 */
export type Discovered = 'known' | 'kept' | 'nothing' | 'open' | 'missing';

/**
 * What makes a kind of transfer. It holds data and pure functions of the situation, and speaks to its party; locking,
 * posting, asking again, breaks and events are the engine's.
 */
export interface TransferKind<Terms, Word extends PartyWord> {
  readonly name: StatusKind;
  /** The outside party that moves the money: with `partyRef` it names the transfer. */
  readonly party: MoneyParty;
  /** Its workflow. */
  readonly process: Process<ProcessSubject>;
  /** What the workflow is named by, where that is not the record's id. */
  readonly namedBy?: 'party_ref';
  /** The process that finds out what a name is that no transfer has: needless once one has it. */
  readonly strangers?: Process<NamedByParty>;
  readonly terms: z.ZodType<Terms>;
  readonly word: z.ZodType<Word>;
  readonly components: ComponentTable;
  readonly transitions: readonly Transition[];
  /**
   * A choice of the system that time or path has made due: stored as a decision before anything follows from it. Time
   * counts with a word that was asked for since (`askedAt`), and alone only while the party can know of nothing.
   */
  choose(situation: Situation<Terms, Word>): NewDecision | undefined;
  /** Amounts of a word that count, by name: a word that lowers one, or lacks it, takes something back. */
  measures(word: Word): Record<string, Decimal>;
  /** Every amount of a word, in its currency: a word of which one is not of its currency cannot be read. */
  amounts(word: Word, situation: Situation<Terms, Word>): Money[];
  /** The parts of a word by the party's names; those that we ordered by our own id too. @param before as it was heard */
  parts(word: Word, before: Situation<Terms, Word>): (string | Part)[];
  /**
   * What happens next to the status: a trigger of the table. One that the table has no line for is an impossible word: the
   * status stays, and a break is opened.
   */
  trigger(situation: Situation<Terms, Word>): string | undefined;
  /** The code of ours that goes with the status. */
  failure(situation: Situation<Terms, Word>, on: string): string | null;
  /** What the books must hold; the engine adds what balances it. */
  position(situation: Situation<Terms, Word>): Holding[];
  /** What the party must be told and has not been, in order. */
  orders(situation: Situation<Terms, Word>): Order[];
  /**
   * Gives one order, under its key.
   * @throws PartyRefused it will never do it; PartyAway the outcome is not known: the same again
   */
  give(services: Services, situation: Situation<Terms, Word>, order: Order): Promise<Given<Word>>;
  /** The party's whole present state. @throws PartyAway it cannot be asked just now */
  ask(services: Services, situation: Situation<Terms, Word>): Promise<Given<Word> | 'unknown_to_party'>;
  /**
   * What other domains say that changes what follows, read under the record's lock once its word has been heard: a user who
   * was blocked before it was ordered, an account that was closed. Stored as a decision, so that all else stays pure.
   * @param before with the word that was applied last
   */
  consider?(
    tx: Tx,
    situation: Situation<Terms, Word>,
    before: Situation<Terms, Word>,
  ): Promise<NewDecision | undefined>;
  /**
   * The word that a person has concluded of what the party never ends: the one it has with its open part ended, what it has
   * settled as it is; nothing where nothing is open. The situation has the decision, and the party's own word.
   */
  concluded?(situation: Situation<Terms, Word>, as: 'paid' | 'failed'): Word | undefined;
  /** What people may do with what stands in suspense. */
  readonly doors: readonly DoorKind[];
  /** What of suspense is promised already: on its way back by an order, or to the client. No door lets it out. */
  pledged?(situation: Situation<Terms, Word>): Money[];
  /** Money that goes back by our order and is undecided. Until it is decided, no door claims suspense below zero in its currency. */
  asked?(situation: Situation<Terms, Word>): Money[];
  /**
   * Of a party without a list that somebody follows otherwise and says when to look: what of it is followed now, and what a
   * transfer belongs to. One that belongs to nothing of it is asked for at growing intervals.
   */
  readonly follower?: Follower<Terms, Word>;
  /** Something of it may change that the party's list does not tell: it is asked for at growing intervals. */
  unlisted?(services: Services, situation: Situation<Terms, Word>): boolean;
  /** What the party owes for it that nothing has released. Kept in the row, where statements find it. */
  unreleased?(situation: Situation<Terms, Word>): Decimal;
  /** Whether it waits for somebody: the party, a person, the time. One that does not is looked at when the party's list names it. */
  isOpen(situation: Situation<Terms, Word>): boolean;
  /** When time alone changes something of it. */
  deadline(situation: Situation<Terms, Word>): Date | null;
  /** What the client hears when the status changes; nothing for some. */
  told(situation: Situation<Terms, Word>, previous: string): WebhookEvent[];
  /** Keeps elsewhere what follows from a new word or from what was booked, in the same transaction. @param holds what the books hold now */
  kept?(tx: Tx, situation: Situation<Terms, Word>, holds: readonly Holding[]): void;
  /** What a person must look at beyond what the engine sees: each is shown once. */
  notices(situation: Situation<Terms, Word>): WantedBreak[];
}

export interface Follower<Terms, Word extends PartyWord> {
  followed(services: Services): Promise<ReadonlySet<string>>;
  nameOf(situation: Situation<Terms, Word>): string;
}

/** A kind, whatever its terms and its party's words: the engine looks into neither. */
export type AnyKind = TransferKind<unknown, PartyWord>;

export type NewDecision = Pick<Decision, 'kind'> &
  Partial<Pick<Decision, 'amount' | 'currency' | 'accountId' | 'data' | 'reason'>>;

/** Something that the party is to do, under one key for ever. */
export interface Order {
  key: string;
  /** `open`: what the transfer itself asks for. `refund`: money that goes back. */
  what: 'open' | 'refund';
}

export interface Given<Word = PartyWord> {
  /** How the party is asked from now on. */
  partyRef?: string;
  /** Its state, where the answer holds it; null: there is nothing to ask for yet. */
  word?: Word | null;
  /** Keeps what else the answer brought, in the transaction that notes it. */
  keep?: (tx: Tx) => Promise<void>;
}
