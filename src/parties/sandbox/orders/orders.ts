import { isDeepStrictEqual } from 'node:util';
import type { Tx } from '../../../kernel/db/database';
import { changeTimes, recordChange, versionAt } from '../changes';
import type { PartyOptions } from '../options';
import type { Outcome } from '../routing';
import { secondsSince } from '../time';
import type { Kept, OrderBook } from './book';
import { insertRow, lockByKey, lockRow, type Name, type Row, rowOfKey, saveRow } from './store';

/** An order as it comes to the party. */
export interface Given<Asked, State> {
  key: string;
  /** Null: the party calls nobody. */
  callbackUrl: string | null;
  asked: Asked;
  state: State;
  id?: string;
  page?: string;
}

/** A taken order at a time. */
export interface Present<Asked, State, Word> {
  kept: Kept<Asked, State>;
  word: Word;
  at: Date;
}

/** The orders of one kind at a party. */
export interface Orders<Asked, State, Word> {
  /** Takes an order once under its key. @returns the answer, or why the caller gets none */
  take(given: Given<Asked, State>): Promise<Outcome>;
  /** The present state. Undefined where no such order was taken. */
  report(name: Name): Promise<Outcome>;
  /** Stores a decision on a record. @param work undefined where nothing has changed */
  change(name: Name, work: (kept: Kept<Asked, State>, at: Date) => Partial<State> | undefined): Promise<void>;
  /**
   * Takes an order about a taken record, such as a refund, once under its key. Nothing is stored of an order that is refused.
   * @param work what the order adds to the state, or the code of its refusal
   * @returns the record; undefined where there is none
   */
  takePart(
    name: Name,
    part: { key: string; asked: object },
    work: (kept: Kept<Asked, State>, at: Date) => Partial<State> | { refused: string },
  ): Promise<{ kept: Kept<Asked, State>; at: Date } | { refused: string } | 'another' | undefined>;
  /** As {@link Orders.report}, with the record. */
  read(name: Name): Promise<Present<Asked, State, Word> | undefined>;
}

export function openBook<Asked extends object, State extends object, Word extends object>(
  book: OrderBook<Asked, State, Word>,
  { database, now }: Pick<PartyOptions, 'database' | 'now'>,
): Orders<Asked, State, Word> {
  const { party, kind, questionsFail = false } = book;

  /** @returns `unreachable` while no order reaches the party, where no question does either */
  const find = (name: Name): Promise<Present<Asked, State, Word> | 'unreachable' | undefined> =>
    database.transaction(async (tx) => {
      const row = await lockRow(tx, { party, kind, ...name }, { lock: 'share' });
      if (!row) return undefined;
      const kept = keptOf(book, row);
      const times = await changeTimes(tx, party, refOf(book, kept));
      const at = now();
      if (questionsFail && isAway(book, kept, at)) return 'unreachable';
      return kept.acceptedAt ? { kept, word: book.wordAt(kept, versionAt(times, at), at), at } : undefined;
    });

  return {
    async take(given) {
      const { orderRefusal } = book.faultsOf({ ...given.asked, ...given.state });
      if (orderRefusal !== undefined) return { refused: orderRefusal };
      return database.transaction((tx) => takeOrder(tx, book, given, now));
    },
    change: (name, work) =>
      database.transaction(async (tx) => {
        const row = await lockRow(tx, { party, kind, ...name }, { lock: 'update' });
        const kept = row && keptOf(book, row);
        const at = now();
        const changed = kept && work(kept, at);
        if (!changed) return;
        const known = { ...kept, ...changed };
        saveKept(tx, book, known);
        recordKept(tx, book, known, at);
      }),
    takePart: (name, { key, asked }, work) =>
      database.transaction(async (tx) => {
        const row = await lockRow(tx, { party, kind, ...name }, { lock: 'update' });
        if (!row) return undefined;
        const kept = keptOf(book, row);
        const at = now();
        const part = { kind: `part of ${kind}`, asked: { of: kept.key, ...asked } };
        const known = await rowOfKey(tx, party, key);
        if (known) return isSame(known, part) ? { kept, at } : 'another';
        const changed = work(kept, at);
        if ('refused' in changed) return changed;
        const given = { ...part, key, callbackUrl: null, state: {} };
        const taken = await lockByKey(tx, {
          ...rowOf({ party, kind: part.kind }, given, at),
          acceptedAt: at,
        });
        // The same key may arrive for another record at the same time.
        if (!taken || !isSame(taken, part)) return 'another';
        const after = { ...kept, ...changed };
        saveKept(tx, book, after);
        recordKept(tx, book, after, at);
        return { kept: after, at };
      }),
    async report(name) {
      const found = await find(name);
      return typeof found === 'object' ? found.word : found;
    },
    async read(name) {
      const found = await find(name);
      return typeof found === 'object' ? found : undefined;
    },
  };
}

async function takeOrder<Asked extends object, State extends object, Word extends object>(
  tx: Tx,
  book: OrderBook<Asked, State, Word>,
  given: Given<Asked, State>,
  now: () => Date,
): Promise<Outcome> {
  await book.prepare?.(tx);
  const row = await lockByKey(tx, rowOf(book, given, now()));
  if (!row) return { refused: book.usedId ?? 'idempotency_mismatch' };
  if (!isSame(row, { kind: book.kind, asked: given.asked })) return 'another';
  const kept = keptOf(book, row);
  const at = now();
  if (isAway(book, kept, at)) return 'unreachable';
  const { losesFirstOrder, losesFirstAnswer } = book.faultsOf(kept);
  const first = kept.calls === 0;
  const called = { ...kept, calls: kept.calls + 1 };
  const isLost = first && losesFirstOrder === true;
  const known = kept.acceptedAt || isLost ? called : accepted(tx, book, called, at);
  saveKept(tx, book, known);
  if (isLost || (first && losesFirstAnswer)) return 'silent';
  // An order that was taken now has changed once.
  const version = kept.acceptedAt ? versionAt(await changeTimes(tx, book.party, refOf(book, kept)), at) : 1;
  const word = book.wordAt(known, version, at);
  return book.answerOf?.(known, word) ?? word;
}

function accepted<Asked extends object, State extends object, Word extends object>(
  tx: Tx,
  book: OrderBook<Asked, State, Word>,
  asked: Kept<Asked, State>,
  at: Date,
): Kept<Asked, State> {
  const taken = { ...asked, acceptedAt: at };
  const kept = { ...taken, ...book.accept?.(tx, taken, at) };
  recordKept(tx, book, kept, at, true);
  return kept;
}

/** Records that an order changes now, and its planned changes. */
function recordKept<Asked extends object, State extends object>(
  tx: Tx,
  book: OrderBook<Asked, State, object>,
  kept: Kept<Asked, State>,
  at: Date,
  isNew = false,
): void {
  const { repeatsCallbacks: repeats = false } = book.faultsOf(kept);
  const { party } = book;
  const record = { party, ref: refOf(book, kept), callbackUrl: kept.callbackUrl, repeats };
  const moments = book.momentsNow?.(kept, at, isNew) ?? ([{ at, quiet: true }] as const);
  recordChange(tx, record, moments, book.momentsOf(kept, at));
}

/** Stores a record that nobody ordered, such as a payment that a bank has received. */
export async function storeUnordered<Asked extends object, State extends object>(
  tx: Tx,
  book: OrderBook<Asked, State, object>,
  given: Given<Asked, State>,
  at: Date,
): Promise<void> {
  const row = await insertRow(tx, { ...rowOf(book, given, at), acceptedAt: at });
  recordKept(tx, book, keptOf(book, row), at);
}

function rowOf<Asked, State>(
  { party, kind }: Pick<Row, 'party' | 'kind'>,
  given: Given<Asked, State>,
  firstAskedAt: Date,
) {
  return { id: null, page: null, ...given, party, kind, firstAskedAt, acceptedAt: null };
}

function keptOf<Asked extends object, State extends object>(
  book: OrderBook<Asked, State, object>,
  { party: _, kind: __, asked, state, ...record }: Row,
): Kept<Asked, State> {
  return { ...book.state.parse(state), ...book.asked.parse(asked), ...record };
}

function saveKept<Asked extends object, State extends object>(
  tx: Tx,
  book: OrderBook<Asked, State, object>,
  kept: Kept<Asked, State>,
): void {
  const { key, id, calls, acceptedAt } = kept;
  saveRow(tx, book.party, { key, id, calls, acceptedAt, state: book.state.parse(kept) });
}

/** Whether the key was used for that order. Addresses are not compared, because ours may change. */
const isSame = (row: Row, { kind, asked }: Pick<Row, 'kind' | 'asked'>): boolean =>
  row.kind === kind && isDeepStrictEqual(row.asked, JSON.parse(JSON.stringify(asked)));

function isAway<Asked extends object, State extends object>(
  book: OrderBook<Asked, State, object>,
  kept: Kept<Asked, State>,
  at: Date,
): boolean {
  return secondsSince(kept.firstAskedAt, at) < (book.faultsOf(kept).unreachableSeconds ?? 0);
}

const refOf = ({ ref }: { ref?: 'id' }, kept: { key: string; id: string | null }): string =>
  (ref === 'id' ? kept.id : kept.key) as string;
