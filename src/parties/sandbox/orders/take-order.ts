import type { Tx } from '../../../kernel/db/database';
import { changeTimes, recordChange, versionAt } from '../changes';
import { secondsSince } from '../time';
import { findOrder, type KeptOrder, lockOrder, noteCall, type OrderBook } from './book';
import { momentsOf } from './moments';

/** Takes an order. @returns its present state, or why the caller gets no answer */
export async function takeOrder<Order extends { key: string }, Kept extends KeptOrder, Word extends object>(
  tx: Tx,
  book: OrderBook<Order, Kept, Word>,
  order: Order,
  now: () => Date,
): Promise<Word | 'another' | 'unreachable' | 'silent'> {
  const kept = await lockOrder(tx, book, order, now());
  if (kept.kind !== book.kind || book.isAnother(order, kept)) return 'another';
  const at = now();
  const { key, firstAskedAt, calls, acceptedAt } = kept;
  const { unreachableSeconds = 0, losesFirstOrder, losesFirstAnswer } = book.faultsOf(kept);
  if (secondsSince(firstAskedAt, at) < unreachableSeconds) return 'unreachable';
  const first = calls === 0;
  const lost = first && losesFirstOrder === true;
  noteCall(tx, book.table, key, lost ? null : at);
  if (lost) return 'silent';
  const taken = acceptedAt === null ? accepted(tx, book, kept, at) : kept;
  if (first && losesFirstAnswer === true) return 'silent';
  // An order that was taken now has changed once.
  if (acceptedAt === null) return book.wordAt(taken, 1, at);
  return (await presentWord(tx, book, key, now)) as Word;
}

function accepted<Order extends { key: string }, Kept extends KeptOrder, Word extends object>(
  tx: Tx,
  book: OrderBook<Order, Kept, Word>,
  kept: Kept,
  at: Date,
): Kept {
  const taken = { ...kept, acceptedAt: at };
  const written = book.accept?.(tx, taken, at) ?? taken;
  const faults = book.faultsOf(written);
  const { key: ref, callbackUrl } = written;
  const record = { party: book.party, ref, callbackUrl, repeats: faults.repeatsCallbacks === true };
  recordChange(tx, record, [{ at, quiet: true }], momentsOf(book.changesOf(written), faults, at));
  return written;
}

/** Undefined where no order with that key was taken. */
export async function presentWord<Order extends { key: string }, Kept extends KeptOrder, Word extends object>(
  tx: Tx,
  book: OrderBook<Order, Kept, Word>,
  key: string,
  now: () => Date,
): Promise<Word | undefined> {
  const [kept, times] = await Promise.all([findOrder(tx, book, key), changeTimes(tx, book.party, key)]);
  const at = now();
  return kept?.acceptedAt ? book.wordAt(kept, versionAt(times, at), at) : undefined;
}
