import { transactionEvents } from '../../accounts/accounts/move';
import { inOrder, type Tx } from '../../kernel/db/database';
import { writeWithCommit } from '../../kernel/db/writes';
import { conflict } from '../../kernel/errors';
import { newId } from '../../kernel/ids';
import { type LedgerAccount, lockLedgerAccountsLast, readBalances } from '../../kernel/ledger/accounts';
import { type Book, openBook } from '../../kernel/ledger/book';
import { eventsWrite, type WebhookEvent } from '../../kernel/outbox/events';
import type { Break } from '../../process/breaks/record';
import { ensureAccounts } from './books/accounts';
import { positionOf } from './books/closed-accounts';
import {
  balanced,
  type Change,
  type ComponentTable,
  componentsOf,
  differences,
  entryOf,
  type Holding,
  keyOf,
} from './books/position';
import { BELOW_ZERO } from './breaks';
import type { AnyKind } from './kind';
import type { Situation, Transfer } from './record';
import { insertEntries } from './store';

/** Books what a new transfer holds at creation. @throws Problem 409 `insufficient_funds`, naming the field */
export async function book(tx: Tx, kind: AnyKind, made: Situation, field?: string): Promise<void> {
  const { transfer, at } = made;
  const { wanted } = positionChanges(kind, made, []);
  if (wanted.length === 0) return;
  const changes = withReferences(transfer, wanted, []);
  const asked = field === undefined ? {} : { field };
  const posting = { transfer, changes, asked, numbered: false };
  const { book: opened, each } = await post(tx, [posting], componentsOf(kind));
  writeWithCommit(tx, [opened?.written(), eventsWrite(each[0]?.events ?? [])]);
  insertEntries(tx, [{ transferId: transfer.id, made: changes }], at);
}

/** The holdings that a situation demands, and their differences from the books. */
export function positionChanges(kind: AnyKind, situation: Situation, booked: readonly Holding[]) {
  const target = balanced(positionOf(kind, situation), componentsOf(kind));
  return { target, wanted: differences(target, booked) };
}

/**
 * Gives each change a reference for its event: at first the id of the part, or of the record. A further change gets a
 * new id, because receivers drop a second event with the same reference, type and subtype.
 */
export function withReferences(
  transfer: Transfer,
  wanted: readonly Holding[],
  booked: readonly Holding[],
): Change[] {
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

/** The posting of a transfer. */
interface Posting {
  transfer: Transfer;
  changes: readonly Change[];
  /** Set when a client or a person asks: posting without sufficient balance is refused, and the problem names the field. */
  asked: { field?: string } | undefined;
  /** A change of status needs a number of the account's history. */
  numbered: boolean;
}

interface Posted {
  accounts: LedgerAccount[];
  events: WebhookEvent[];
}

/**
 * Posts the changes of transfers. Locks the accounts of all at once and last, because they may be the busiest rows of
 * the tenant. The transfers' own accounts are among them, because a change of status takes a number of its account.
 * @returns the ledger's changes, not yet written, and the postings in the given order, undefined where nothing changes
 */
export async function post(
  tx: Tx,
  postings: readonly Posting[],
  table: ComponentTable,
): Promise<{ book: Book | undefined; each: (Posted | undefined)[] }> {
  const moves = postings.filter(({ changes }) => changes.length > 0);
  const moved = moves.flatMap(({ changes }) => changes.flatMap(({ account }) => account ?? []));
  const touched = postings.filter(({ changes, numbered }) => changes.length > 0 || numbered);
  const ids = [...new Set([...moved, ...touched.flatMap(({ transfer: { accountId } }) => accountId ?? [])])];
  if (moves.length === 0) {
    if (ids.length > 1) lockLedgerAccountsLast(tx, ids); // of one account, the change of status takes the lock
    return { book: undefined, each: [] };
  }
  const all = moves.flatMap(({ changes }) => changes);
  const [, opened] = await inOrder([ensureAccounts(tx, all), openBook(tx, ids)]);
  const each = postings.map((posting) =>
    posting.changes.length === 0 ? undefined : postOne(opened, posting, table),
  );
  return { book: opened, each };
}

function postOne(opened: Book, { transfer, changes, asked }: Posting, table: ComponentTable): Posted {
  const { referenceId, idempotencyKey } = transfer;
  const entries = changes.map((change) => entryOf(change, table));
  let result = opened.post({ entries });
  if (!result.ok && asked)
    throw conflict('insufficient_funds', 'The available balance does not cover the amount.', asked.field);
  if (!result.ok) result = opened.post({ entries, forced: true });
  if (!result.ok) throw new Error('a forced posting was refused');
  const events = transactionEvents(opened, result.entries, {
    idempotencyKey,
    linkedTo: (reference) => (reference === referenceId ? undefined : referenceId),
  });
  const ids = new Set(changes.flatMap(({ account }) => account ?? []));
  return { accounts: [...ids].map((id) => ({ ...opened.account(id) })), events };
}

/**
 * Balances of accounts that had a break for being below zero and are not posted to now. Their breaks may pass.
 * @returns in the given order
 */
export async function leftBelowZero(
  tx: Tx,
  all: readonly { open: readonly Break[]; posted: Posted | undefined }[],
): Promise<LedgerAccount[][]> {
  const wanted = all.map(({ open, posted }) => {
    const moved = new Set(posted?.accounts.map(({ id }) => id));
    return open
      .filter(({ kind, detail }) => kind === BELOW_ZERO && !moved.has(detail))
      .map(({ detail }) => detail);
  });
  const ids = [...new Set(wanted.flat())];
  if (ids.length === 0) return [];
  const balances = await readBalances(tx, ids);
  return wanted.map((each) => each.flatMap((id) => balances.get(id) ?? []));
}
