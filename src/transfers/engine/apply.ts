import { transactionEvents } from '../../accounts/accounts/move';
import { isAccountClosed } from '../../accounts/accounts/operations';
import { inOrder, type Tx } from '../../kernel/db/database';
import { writeWithCommit } from '../../kernel/db/writes';
import { conflict } from '../../kernel/errors';
import { newId } from '../../kernel/ids';
import { type LedgerAccount, readBalances } from '../../kernel/ledger/accounts';
import { type Book, openBook } from '../../kernel/ledger/book';
import { noteStatusChanges } from '../../kernel/ledger/status-changes';
import { eventsWrite, tellWhenCommitted, type WebhookEvent } from '../../kernel/outbox/events';
import { syncBreaks } from '../../process/breaks/operations';
import type { Break } from '../../process/breaks/record';
import { ensureAccounts } from './books/accounts';
import { closingNoted, movedBy, positionOf } from './books/closed-accounts';
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
import { BELOW_ZERO, breaksOf, VERSION_FELL } from './breaks';
import { effective } from './conclusion';
import { dueAfter } from './due';
import { type Followed, follow, hear, isOlder, isSame, systemDecision } from './follow';
import type { AnyKind } from './kind';
import type { Decision, PartyWord, Situation, Transfer } from './record';
import { looksOf } from './step-schedule';
import { insertDecisions, insertEntries, type Locked, saveTransfer } from './store';
import { keepWord } from './tables/words';

export interface Apply {
  /** The party's word. Absent where the party was not asked. */
  heard?: PartyWord | undefined;
  /** When the party was asked, if it answered with a word or that it does not know the transfer. */
  askedAt?: Date | undefined;
  decided?: readonly Decision[];
  /**
   * Set when a client or a person asks: posting without sufficient balance is refused, and the problem names this
   * field. A party's word is posted whatever the balance.
   */
  asked?: { field?: string };
  /** The step gives the order after this transaction, so `ordered_at` is committed here if the order is due. */
  ordering?: boolean;
  /** Whether another process watches for changes of the transfer. A decision needs no value: its own step finds out. */
  listed?: (situation: Situation) => boolean;
  /** The record's `dueBy` before the party was asked. A later report keeps the transfer due. */
  dueSeen?: Date | null;
}

/**
 * Brings status and books of a locked transfer to what terms, word and decisions demand, in the caller's transaction.
 * Events of accounts precede those of the status. Idempotent.
 * @throws Problem 409 `insufficient_funds` when `asked` is set
 */
export async function apply(
  tx: Tx,
  kind: AnyKind,
  locked: Locked,
  { heard, askedAt, decided = [], asked, ordering = false, listed = () => true, dueSeen }: Apply,
): Promise<Situation> {
  const { booked } = locked;
  const before = locked.situation;
  const known = { ...before, decisions: [...before.decisions, ...decided] };
  const silent = askedAt ? { ...known, askedAt } : known;
  const word = heard === undefined ? silent : hear(kind, known, heard, askedAt);
  const { considered, found } = await consider(tx, kind, word, known);
  const followed = follow(kind, effective(kind, considered));
  const { path } = followed;
  const closings = await closingsOf(tx, kind, followed.situation, booked);
  const situation = withDecisions(followed.situation, closings);
  const { target, wanted } = positionChanges(kind, situation, booked);
  const changes = withReferences(situation.transfer, wanted, booked);
  const chosen = [...decided, ...found, ...followed.chosen, ...closings];
  const posted = await post(tx, situation.transfer, changes, componentsOf(kind), asked);
  const accounts = [...(posted?.accounts ?? []), ...(await leftBelowZero(tx, locked, posted))];
  const breaks = breaksOf(kind, situation, {
    target,
    followed,
    accounts,
    open: locked.open,
    heard: heard !== undefined,
    fell: hasFallen(known, heard),
  });
  // A conclusion replaces the party's word in the rules but is never stored as a word.
  const kept = { ...situation, transfer: { ...situation.transfer, word: considered.transfer.word } };
  const after = recordToStore(kind, locked.situation, kept, {
    moved: path.length + chosen.length + changes.length > 0,
    path,
    listed: listed(kept),
    ordering,
    watched: breaks.wanted.some(({ kind: name }) => name === BELOW_ZERO || name === VERSION_FELL),
    dueSeen,
  });
  const turns = changedOf(path);
  const told = turns.flatMap((step) => kind.told({ ...step.situation, at: situation.at }, step.previous));
  const events = [...(posted?.events ?? []), ...told];
  if (events.length > 0) tellWhenCommitted(tx);
  await syncBreaks(tx, breaks);
  // The remaining writes go with the commit, because other transactions wait for the accounts until then.
  writeWithCommit(tx, [posted?.book.written(), eventsWrite(events)]);
  noteStatuses(
    tx,
    kind,
    turns.map(({ situation: { transfer }, previous }) => ({ transfer, previous })),
  );
  insertDecisions(tx, situation.transfer.id, chosen);
  insertEntries(tx, situation.transfer.id, changes, situation.at);
  const isNewWord = !isSame(locked.situation.transfer.word, after.transfer.word);
  if (isNewWord) keepWord(tx, after.transfer);
  if (isNewWord || changes.length > 0) kind.kept?.(tx, after, target);
  saveTransfer(tx, after.transfer, kind.unreleased?.(after));
  return after;
}

/** Changes of status in a path. A transition to the same status only changes the reason, and clients hear nothing. */
const changedOf = (path: Followed['path']): Followed['path'] =>
  path.filter(({ previous, situation }) => situation.transfer.status !== previous);

/** Adds status changes to the history of the account, if there is one. The account's lock numbers them. */
export function noteStatuses(
  tx: Tx,
  { name: kind }: Pick<AnyKind, 'name'>,
  path: readonly { transfer: Transfer; previous: string | null }[],
): void {
  const accountId = path[0]?.transfer.accountId ?? null;
  if (accountId === null) return;
  const changes = path.map(({ transfer: { id, referenceId, status, failure }, previous }) => ({
    kind,
    recordId: id,
    referenceId,
    status,
    previousStatus: previous,
    failure,
  }));
  noteStatusChanges(tx, accountId, changes);
}

/** Whether a word has an older version than the known word. Such a word is dropped. */
export const hasFallen = ({ transfer: { word } }: Situation, heard: PartyWord | undefined): boolean =>
  word !== null && heard !== undefined && isOlder(heard, word);

/** Books what a new transfer holds at creation. @throws Problem 409 `insufficient_funds`, naming the field */
export async function book(tx: Tx, kind: AnyKind, made: Situation, field?: string): Promise<void> {
  const { wanted } = positionChanges(kind, made, []);
  if (wanted.length === 0) return;
  const changes = withReferences(made.transfer, wanted, []);
  const posted = await post(
    tx,
    made.transfer,
    changes,
    componentsOf(kind),
    field === undefined ? {} : { field },
  );
  writeWithCommit(tx, [posted?.book.written(), eventsWrite(posted?.events ?? [])]);
  insertEntries(tx, made.transfer.id, changes, made.at);
}

const withDecisions = (situation: Situation, more: readonly Decision[]): Situation =>
  more.length === 0 ? situation : { ...situation, decisions: [...situation.decisions, ...more] };

/** Decides `account_shut` for each closed account with the first change after its closing. */
async function closingsOf(
  tx: Tx,
  kind: AnyKind,
  situation: Situation,
  booked: readonly Holding[],
): Promise<Decision[]> {
  const table = componentsOf(kind);
  const closings: Decision[] = [];
  for (const account of movedBy(positionChanges(kind, situation, booked).wanted, situation.decisions, table))
    if (await isAccountClosed(tx, account))
      closings.push(systemDecision(closingNoted(account, booked, table), situation.at));
  return closings;
}

function positionChanges(kind: AnyKind, situation: Situation, booked: readonly Holding[]) {
  const target = balanced(positionOf(kind, situation), componentsOf(kind));
  return { target, wanted: differences(target, booked) };
}

async function consider(
  tx: Tx,
  kind: AnyKind,
  situation: Situation,
  before: Situation,
): Promise<{ considered: Situation; found: Decision[] }> {
  const decision = await kind.consider?.(tx, effective(kind, situation), effective(kind, before));
  if (!decision) return { considered: situation, found: [] };
  const found = [systemDecision(decision, situation.at)];
  return { considered: { ...situation, decisions: [...situation.decisions, ...found] }, found };
}

/**
 * Gives each change a reference for its event: at first the id of the part, or of the record. A further change gets a
 * new id, because receivers drop a second event with the same reference, type and subtype.
 */
function withReferences(
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

interface Posted {
  /** The ledger's changes, not yet written. */
  book: Book;
  accounts: LedgerAccount[];
  events: WebhookEvent[];
}

/**
 * Posts changes. Locks the accounts last, because they may be the busiest rows of the tenant. The transfer's own
 * account is among them, because a change of status needs a number of its history.
 */
async function post(
  tx: Tx,
  { accountId, referenceId, idempotencyKey }: Transfer,
  changes: readonly Change[],
  table: ComponentTable,
  asked: Apply['asked'],
): Promise<Posted | undefined> {
  if (changes.length === 0) return undefined;
  const ids = [...new Set(changes.flatMap(({ account }) => account ?? []))];
  const [, opened] = await inOrder([
    ensureAccounts(tx, changes),
    openBook(tx, [...new Set([...ids, ...(accountId === null ? [] : [accountId])])]),
  ]);
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
  return { book: opened, accounts: ids.map((id) => opened.account(id)), events };
}

/** Balances of accounts that had a break for being below zero and are not posted to now. Their breaks may pass. */
async function leftBelowZero(
  tx: Tx,
  { open }: { open: readonly Break[] },
  posted: Pick<Posted, 'accounts'> | undefined,
): Promise<LedgerAccount[]> {
  const moved = new Set(posted?.accounts.map(({ id }) => id));
  const ids = open
    .filter(({ kind, detail }) => kind === BELOW_ZERO && !moved.has(detail))
    .map(({ detail }) => detail);
  return ids.length === 0 ? [] : [...(await readBalances(tx, ids)).values()];
}

interface Moved {
  moved: boolean;
  path: Followed['path'];
  listed: boolean;
  ordering: boolean;
  /** An open break may pass without a word, which only another step notices. */
  watched: boolean;
  dueSeen: Date | null | undefined;
}

/** The record to store: the statuses it has reached, and the times of the next step. */
function recordToStore(
  kind: AnyKind,
  before: Situation,
  after: Situation,
  { moved, path, listed, ordering, watched, dueSeen }: Moved,
): Situation {
  const { at, transfer } = after;
  const heard = !isSame(before.transfer.word, transfer.word);
  const changed = moved || heard;
  const since = Object.fromEntries(
    path.map(({ situation }) => [situation.transfer.status, at.toISOString()]),
  );
  const next: Transfer = {
    ...transfer,
    wordAt: heard ? at : transfer.wordAt,
    revision: transfer.revision + (changed ? 1 : 0),
    quiet: changed ? 0 : transfer.quiet + 1,
    updatedAt: changed ? at : transfer.updatedAt,
    reached: { ...since, ...transfer.reached },
  };
  const situation = effective(kind, { ...after, transfer: next });
  // From here on only the party's word or a conclusion ends the transfer.
  const ordered = next.orderedAt ?? (ordering && isOrdered(kind, situation) ? at : null);
  const { lookAt, dueBy } = looksOf(kind, situation, { listed, watched });
  const due = dueAfter(before.transfer.dueBy, dueSeen, dueBy);
  return { ...after, transfer: { ...next, orderedAt: ordered, lookAt, dueBy: due } };
}

/** Whether the order itself (not a refund) is due. */
export const isOrdered = (kind: Pick<AnyKind, 'orders'>, situation: Situation): boolean =>
  kind.orders(situation).some(({ what }) => what === 'open');
