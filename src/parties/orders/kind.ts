import type { Database, Sql, Tx } from '../../kernel/db/database';
import type { Commands } from '../../kernel/outbox/commands';
import type { OrderParty } from '../../kernel/parties';
import type { Switches } from '../../process/switches/switches';
import type { Driven, Process } from '../../process/workflow-command';
import type { Showing } from './unknown-name';

export interface OrderServices extends Showing {
  database: Database;
  switches: Switches;
  commands: Pick<Commands, 'append'>;
  publicUrl(): string;
  now(): Date;
}

/** A party's state of an order. `processing`: the party has not decided. Any other status is its decision. */
export interface OrderWord {
  status: string;
  /** Grows with each change at the party. Absent where the party counts no versions. */
  version?: number | undefined;
}

/** The record that has the order. */
export interface Ordering {
  id: string;
  tenantId: string;
}

/** The fields that every order sends to its party. */
export interface GivenOrder {
  key: string;
  /** Where the party reports that the order has changed. */
  callbackUrl: string;
}

/**
 * A kind of order, declared by the domain of its record. The engine (`advance.ts`) runs every kind alike: ask the
 * party, give it an order that it does not know, and conclude by its decision.
 */
export interface OrderKind<Services extends OrderServices, Row extends Ordering, Word extends OrderWord> {
  readonly party: OrderParty;
  /** Path of the party's callbacks. */
  readonly callbacks: string;
  /** The workflow that drives the order. Its id is made of the record's id. */
  readonly process: Process<Driven>;
  /**
   * Idempotency key of a record's order, never reused. The party answers a repeated key with the first order's state.
   */
  keyOf(row: Row): string;
  /** Matches keys of this kind. The first group is the record's id. */
  readonly keys: RegExp;
  find(sql: Sql, id: string): Promise<Row | undefined>;
  /** As `find`, with a lock until the end of the transaction. */
  lock(tx: Tx, id: string): Promise<Row | undefined>;
  /** Whether the party's decision is still missing. */
  isOpen(row: Row): boolean;
  /** The result of the workflow. */
  status(row: Row): string;
  /** Reads the order's state. @throws PartyAway the state is unknown now */
  ask(services: Services, row: Row, key: string): Promise<Word | 'unknown_to_party'>;
  /**
   * Reads the data that the order carries.
   * @returns the call that gives the order; a state where the order ends without a call
   */
  prepare(
    services: Services,
    row: Row,
    order: GivenOrder,
  ): (() => Promise<Word>) | Promise<Word | (() => Promise<Word>)>;
  /**
   * Stores whether the party may have the order, for kinds with a deadline.
   * @returns false: the order has ended meanwhile
   */
  intend?(sql: Sql, row: Row, mayHaveIt: boolean): Promise<boolean>;
  /** The state that a final refusal stands for. Absent: the order is repeated until the party takes it. */
  refused?(code: string): Word;
  /** Ends an open order by a decision. The record is locked. */
  conclude(services: Services, tx: Tx, row: Row, word: Word): Promise<unknown>;
  /** Absent: the party is not asked about orders that have ended. */
  readonly afterEnd?: AfterEnd<Row, Word>;
}

/** How to judge the party's state of an ended order. A person sees a contradiction until the party agrees again. */
export interface AfterEnd<Row, Word> {
  /** The kind of the break. */
  readonly contradicted: string;
  /** The record that the break belongs to. */
  subject(row: Row): string;
  /** How the state contradicts the result of the order. Undefined where it does not. */
  contradiction(row: Row, word: Word): string | undefined;
  /** Whether the order was ever given. Absent: always. */
  wasGiven?(row: Row): boolean;
  /** Stores the data of a decision that came too late. */
  keep?(tx: Tx, row: Row, word: Word): Promise<void>;
}

/** Any kind of order. */
export type AnyOrderKind = OrderKind<never, Ordering, OrderWord>;
