import type { Database, Sql, Tx } from '../../kernel/db/database';
import type { Commands } from '../../kernel/outbox/commands';
import type { Switches } from '../../process/switches/switches';
import type { Driven, Process } from '../../process/workflow-command';
import type { OrderParty } from './told-orders';
import type { Showing } from './unknown-name';

/** What the engine of orders needs of the services. */
export interface OrderServices extends Showing {
  database: Database;
  switches: Switches;
  commands: Pick<Commands, 'append'>;
  publicUrl(): string;
  now(): Date;
}

/** What a party says of an order. `processing`: the party has the order and has not decided. Any other status is its decision. */
export interface OrderWord {
  status: string;
  /** Grows with each change at the party; absent where it counts none. */
  version?: number | undefined;
}

/** Whose order it is. */
export interface Ordering {
  id: string;
  tenantId: string;
}

/** What every order of a party carries. */
export interface GivenOrder {
  key: string;
  /** Where the party tells that the order has moved. */
  callbackUrl: string;
}

/**
 * An order of a party, declared by the domain of its record. The engine (`advance.ts`) tells the one story of all orders: ask what
 * the party knows, give it what it does not know, conclude by its decision.
 */
export interface OrderKind<Services extends OrderServices, Row extends Ordering, Word extends OrderWord> {
  readonly party: OrderParty;
  /** The path of the party's callbacks. */
  readonly callbacks: string;
  /** The workflow that asks for the order, named by the record's id. */
  readonly process: Process<Driven>;
  /** The key of a record's order, unique for ever: the party gives the state of the first order under the same key. */
  keyOf(row: Row): string;
  /** A key of this kind; its first group is the record's id. */
  readonly keys: RegExp;
  find(sql: Sql, id: string): Promise<Row | undefined>;
  /** The same, held to the end of the transaction. */
  lock(tx: Tx, id: string): Promise<Row | undefined>;
  /** Whether the party's decision is awaited. */
  isOpen(row: Row): boolean;
  /** What the workflow ends with. */
  status(row: Row): string;
  /** What became of the order. @throws PartyAway nothing is known just now */
  ask(services: Services, row: Row, key: string): Promise<Word | 'unknown_to_party'>;
  /**
   * Reads what the order carries.
   * @returns the call that gives the order; a word where the order ends without one
   */
  prepare(
    services: Services,
    row: Row,
    order: GivenOrder,
  ): (() => Promise<Word>) | Promise<Word | (() => Promise<Word>)>;
  /** Keeps whether the party may have the order, for a kind whose patience ends. @returns false: the order has ended meanwhile */
  intend?(sql: Sql, row: Row, mayHaveIt: boolean): Promise<boolean>;
  /** The word that a final refusal stands for; absent: the order is given again until the party takes it. */
  refused?(code: string): Word;
  /** Ends an open order by a decision. The record is locked. */
  conclude(services: Services, tx: Tx, row: Row, word: Word): Promise<unknown>;
  /** Absent: an order that has ended is asked for no more. */
  readonly afterEnd?: AfterEnd<Row, Word>;
}

/** What the party says of an order that has ended here. A person is shown a contradiction until the party says the same. */
export interface AfterEnd<Row, Word> {
  /** The kind of the break. */
  readonly contradicted: string;
  /** The record that the break stands at. */
  subject(row: Row): string;
  /** How the word contradicts what has become of the order; undefined where it does not. */
  contradiction(row: Row, word: Word): string | undefined;
  /** Whether the order was ever given; absent: each was. */
  wasGiven?(row: Row): boolean;
  /** Keeps what a decision that came too late tells. */
  keep?(tx: Tx, row: Row, word: Word): Promise<void>;
}

/** A kind, whatever its record and its words. */
export type AnyOrderKind = OrderKind<never, Ordering, OrderWord>;
