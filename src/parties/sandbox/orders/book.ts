import { z } from 'zod';
import type { Tx } from '../../../kernel/db/database';
import { Decimal } from '../../../kernel/money/money';
import type { Moment } from '../changes';
import type { SandboxParty } from '../options';
import type { KeptRecord } from './store';

/** An amount in a stored record. JSON holds it as text. */
export const storedDecimal = z.coerce.string().transform((text) => new Decimal(text));

/** What a magic value does to an order on its way. */
export interface OrderFaults {
  /** The code with which the party does not take the order, of which it then keeps nothing. */
  orderRefusal?: string | undefined;
  /** The first order is carried out and its answer is lost. */
  losesFirstAnswer?: boolean;
  /** The first order is lost on its way, and no answer comes. */
  losesFirstOrder?: boolean;
  /** Seconds in which no order reaches the party, counted from the first. */
  unreachableSeconds?: number;
  /** Every callback is sent twice, and a forged one with it. */
  repeatsCallbacks?: boolean;
  /** No callback is sent, so a change is found only by asking. */
  sendsNoCallbacks?: boolean;
}

/** A change of an order that happens by itself. */
export interface LaterChange {
  /** Seconds after the order was taken. Infinity: never. */
  afterSeconds: number;
}

/** A record with what was ordered and with what the party adds. */
export type Kept<Asked, State> = KeptRecord & Asked & State;

/** What a party does with one kind of order. The book does the rest. */
export interface OrderBook<Asked extends object, State extends object, Word extends object> {
  party: SandboxParty;
  /** A key belongs to one order across all kinds of the party. */
  kind: string;
  /** What an order asks for. Another order under its key is a conflict. */
  asked: z.ZodType<Asked>;
  /** What the party stores beside that, such as an address or the payer's decision. */
  state: z.ZodType<State>;
  /** The name under which a record is listed and called back. Absent: the key. */
  ref?: 'id';
  faultsOf(kept: Asked & State): OrderFaults;
  /** While no order reaches the party, no question does. */
  questionsFail?: true;
  /** The code that refuses an order whose id is in use under another key. */
  usedId?: string;
  /** Runs at the start of an order's transaction. */
  prepare?(tx: Tx): Promise<void>;
  /** Runs once, when the order is taken. @returns what the party adds */
  accept?(tx: Tx, kept: Kept<Asked, State>, at: Date): Partial<State> & { id?: string };
  /**
   * The changes now. Absent: one without a callback, because the answer reports it.
   * @param isNew whether the order is taken now, and not decided on
   */
  momentsNow?(kept: Kept<Asked, State>, at: Date, isNew: boolean): [Moment, ...Moment[]];
  /** The changes by time alone. */
  momentsOf(kept: Kept<Asked, State>, at: Date): Moment[];
  /** The party's state of a taken order, as its protocol shows it. */
  wordAt(kept: Kept<Asked, State>, version: number, at: Date): Word;
  /** The answer to an order. Absent: the state. */
  answerOf?(kept: Kept<Asked, State>, word: Word): object;
}

/** Checks the parts of a book against one another. */
export const orderBook = <Asked extends object, State extends object, Word extends object>(
  book: OrderBook<Asked, State, Word>,
): OrderBook<Asked, State, Word> => book;
