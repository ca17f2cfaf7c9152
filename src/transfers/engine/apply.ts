import { appendTransactionEvents } from '../../accounts/accounts/move';
import type { Tx } from '../../kernel/db/database';
import { conflict } from '../../kernel/errors';
import { newId } from '../../kernel/ids';
import { ensureInternalAccounts } from '../../kernel/ledger/accounts';
import { type Book, openBook } from '../../kernel/ledger/book';
import { appendEvents } from '../../kernel/outbox/events';
import { breaksOf } from './breaks';
import { follow, hear, isSame, systemDecision } from './follow';
import type { PartyWord, TransferKind } from './kind';
import {
  balanced,
  type Change,
  differences,
  entryOf,
  type Holding,
  INTERNAL_COMPONENTS,
  keyOf,
} from './position';
import type { Situation, Transfer } from './record';
import { bookedOf, insertDecisions, insertEntries, saveTransfer } from './store';

export interface Apply<Word> {
  /** What the party says; absent where it was not asked. */
  heard?: Word;
  /**
   * A client or a person asks for it: refused when the money is not there, naming this field. Else it follows from a
   * party's word, and is posted whatever the balance.
   */
  asked?: { field?: string };
}

/**
 * Brings status and books of a transfer whose row is locked to where terms, word and decisions say. Account events come
 * before those of the status, all in the caller's transaction. Done twice, it has been done once.
 * @throws Problem 409 `insufficient_funds` when it was asked for
 */
export async function apply<Terms, Word extends PartyWord>(
  tx: Tx,
  kind: TransferKind<Terms, Word>,
  locked: Situation<Terms, Word>,
  { heard, asked }: Apply<Word> = {},
): Promise<Situation<Terms, Word>> {
  const considered = await consider(tx, kind, heard === undefined ? locked : hear(kind, locked, heard));
  const { situation, chosen, path, impossible } = follow(kind, considered.situation);
  const table = { ...INTERNAL_COMPONENTS, ...kind.components };
  const target = balanced(kind.position(situation), table);
  const booked = await bookedOf(tx, locked.transfer.id);
  const wanted = differences(target, booked);
  const changes = locked.transfer.adopted ? named(situation.transfer, wanted, booked) : [];
  const book = await post(tx, situation.transfer, changes, table, asked);
  await insertDecisions(tx, locked.transfer.id, chosen);
  await insertEntries(tx, locked.transfer.id, changes, situation.at);
  await appendEvents(
    tx,
    path.flatMap(({ previous, situation: then }) => kind.told({ ...then, at: situation.at }, previous)),
  );
  await breaksOf(tx, kind, situation, { target, wanted, impossible, book });
  const after = saved(kind, locked, situation, path.length + chosen.length + changes.length > 0);
  await saveTransfer(tx, after.transfer);
  return after;
}

/**
 * With the references of their events: the first change of a component and part has the part's own, or the record's; each
 * further one a new id, for receivers drop a second event with the same reference, type and subtype.
 */
function named(transfer: Transfer, wanted: readonly Holding[], booked: readonly Holding[]): Change[] {
  const known = new Set(booked.map(keyOf));
  const further = new Map<string | null, string>();
  const furtherOf = (part: string | null): string => {
    const reference = further.get(part) ?? newId('reference');
    further.set(part, reference);
    return reference;
  };
  return wanted.map((holding) => {
    const { part } = holding;
    const reference = known.has(keyOf(holding)) ? furtherOf(part) : (part ?? transfer.referenceId);
    return { ...holding, reference };
  });
}

async function post(
  tx: Tx,
  transfer: Transfer,
  changes: readonly Change[],
  table: Parameters<typeof entryOf>[1],
  asked: Apply<unknown>['asked'],
): Promise<Book | undefined> {
  if (changes.length === 0) return undefined;
  const accounts = new Set(changes.flatMap(({ account }) => account ?? []));
  for (const currency of new Set(changes.map(({ currency }) => currency)))
    await ensureInternalAccounts(tx, currency);
  const book = await openBook(tx, [...accounts]);
  const entries = changes.map((change) => entryOf(change, table));
  let result = book.post({ entries });
  if (!result.ok && asked)
    throw conflict('insufficient_funds', 'The available balance does not cover this.', asked.field);
  if (!result.ok) result = book.post({ entries, forced: true });
  if (!result.ok) throw new Error('a forced posting was refused');
  await Promise.all([
    book.write(tx),
    appendTransactionEvents(tx, book, result.entries, transfer.idempotencyKey),
  ]);
  return book;
}

function saved<Terms, Word extends PartyWord>(
  kind: TransferKind<Terms, Word>,
  before: Situation<Terms, Word>,
  after: Situation<Terms, Word>,
  moved: boolean,
): Situation<Terms, Word> {
  const { at, transfer } = after;
  const heard = !isSame(before.transfer.word, transfer.word);
  const changed = moved || heard;
  const next: Transfer<Terms, Word> = {
    ...transfer,
    wordAt: heard ? at : transfer.wordAt,
    revision: transfer.revision + (changed ? 1 : 0),
    quiet: changed ? 0 : transfer.quiet + 1,
    updatedAt: changed ? at : transfer.updatedAt,
    completedAt: transfer.status === 'completed' ? (transfer.completedAt ?? at) : transfer.completedAt,
  };
  const situation = { ...after, transfer: next };
  return { ...situation, transfer: { ...next, dueBy: kind.patience(situation) } };
}
