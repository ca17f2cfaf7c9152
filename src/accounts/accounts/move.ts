import type { Tx } from '../../kernel/db/database';
import { writeWithCommit } from '../../kernel/db/writes';
import { conflict, type Problem } from '../../kernel/errors';
import type { Book } from '../../kernel/ledger/book';
import { openBook } from '../../kernel/ledger/book';
import type { PostedEntry, Posting } from '../../kernel/ledger/entries';
import { eventsWrite, tellWhenCommitted, type WebhookEvent } from '../../kernel/outbox/events';
import { accountTransactionEvent } from './events';

/**
 * Moves money between accounts in the caller's transaction: locks them, posts, and appends the `account_transaction` of
 * each listed entry.
 * @throws Problem 409 `insufficient_funds` when an account would fall below zero
 */
export async function move(
  tx: Tx,
  posting: Posting,
  context: { idempotencyKey?: string | null; field?: string },
): Promise<PostedEntry[]> {
  const stored = [
    ...new Set(posting.entries.map((entry) => entry.account).filter((id) => !id.includes(':'))),
  ];
  const book = await openBook(tx, stored);
  const result = book.post(posting);
  if (!result.ok) throw notCovered(context.field);
  const events = transactionEvents(book, result.entries, context);
  if (events.length > 0) tellWhenCommitted(tx);
  // Written with the commit, because other transactions wait for the accounts until then.
  writeWithCommit(tx, [book.written(), eventsWrite(events)]);
  return result.entries;
}

export const notCovered = (field?: string): Problem =>
  conflict('insufficient_funds', 'The available balance does not cover the amount.', field);

/** Data for the `account_transaction`s of a posting. */
export interface EventContext {
  idempotencyKey?: string | null;
  /** For an entry's reference, the reference of the movement that it follows, if any. */
  linkedTo?: (reference: string) => string | undefined;
}

/** The `account_transaction`s of the listed entries. */
export const transactionEvents = (
  book: Book,
  entries: PostedEntry[],
  { idempotencyKey, linkedTo }: EventContext = {},
): WebhookEvent[] =>
  entries
    .filter((entry) => entry.listed)
    .map((entry) =>
      accountTransactionEvent(book.account(entry.account), entry, {
        idempotencyKey,
        linkedId: linkedTo?.(entry.reference),
      }),
    );
