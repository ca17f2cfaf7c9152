import { transactionEvents } from '../../accounts/accounts/move';
import { isAccountClosed } from '../../accounts/accounts/operations';
import type { Tx } from '../../kernel/db/database';
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
import { looksOf } from './patience';
import type { Decision, PartyWord, Situation, Transfer } from './record';
import { insertDecisions, insertEntries, type Locked, saveTransfer } from './store';
import { keepWord } from './tables/words';

export interface Apply {
  /** What the party says; absent where it was not asked. */
  heard?: PartyWord | undefined;
  /** When it was asked, where it has answered: with a word, or that it knows of none. */
  askedAt?: Date | undefined;
  /** What has just been decided. */
  decided?: readonly Decision[];
  /**
   * A client or a person asks for it: refused when the money is not there, naming this field. Else it is what a party's
   * word demands, and is posted whatever the balance.
   */
  asked?: { field?: string };
  /** The step gives the order after this transaction: `ordered_at` is committed with it, where the order is due. */
  ordering?: boolean;
  /** Whether the party lists what may change; a decision's own look finds out. */
  listed?: (situation: Situation) => boolean;
  /** The record's `dueBy` before the party was asked: that it was told since stays. Absent where the party was not asked. */
  dueSeen?: Date | null;
}

/**
 * Brings status and books of a transfer whose row is locked to where terms, word and decisions say. Account events come
 * before those of the status, all in the caller's transaction. Done twice, it has been done once.
 * @throws Problem 409 `insufficient_funds` when it was asked for
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
  const { target, wanted } = compared(kind, situation, booked);
  const changes = named(situation.transfer, wanted, booked);
  const chosen = [...decided, ...found, ...followed.chosen, ...closings];
  const posted = await post(tx, situation.transfer, changes, componentsOf(kind), asked);
  const accounts = [...(posted?.accounts ?? []), ...(await leftBelowZero(tx, locked, posted))];
  const breaks = breaksOf(kind, situation, {
    ...{ target, followed, accounts, open: locked.open },
    ...{ heard: heard !== undefined, fell: hasFallen(known, heard) },
  });
  // A conclusion stands in for the party's word, and is not kept as one.
  const kept = { ...situation, transfer: { ...situation.transfer, word: considered.transfer.word } };
  const after = afterwards(kind, locked.situation, kept, {
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
  // All else with the commit, for others wait for the accounts until then.
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

/** A line of the table that stays where it is has given another reason, and no other status: nobody is told of one. */
const changedOf = (path: Followed['path']): Followed['path'] =>
  path.filter(({ previous, situation }) => situation.transfer.status !== previous);

/** In the history of the account, whose own lock gives them their numbers; what is nobody's is in none. */
export function noteStatuses(
  tx: Tx,
  { name: kind }: Pick<AnyKind, 'name'>,
  path: readonly { transfer: Transfer; previous: string | null }[],
): void {
  const accountId = path[0]?.transfer.accountId ?? null;
  if (accountId === null) return;
  const changes = path.map(({ transfer: { id, referenceId, status, failure }, previous }) => ({
    ...{ kind, recordId: id, referenceId, status, previousStatus: previous, failure },
  }));
  noteStatusChanges(tx, accountId, changes);
}

/** Whether the party told of an older state than it has told of before: that is dropped. */
export const hasFallen = ({ transfer: { word } }: Situation, heard: PartyWord | undefined): boolean =>
  word !== null && heard !== undefined && isOlder(heard, word);

/**
 * Books what a new transfer holds from the beginning, such as what a payout will take.
 * @throws Problem 409 `insufficient_funds`, naming the field
 */
export async function book(tx: Tx, kind: AnyKind, made: Situation, field?: string): Promise<void> {
  const { wanted } = compared(kind, made, []);
  if (wanted.length === 0) return;
  const changes = named(made.transfer, wanted, []);
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

/** Notes each closed account with the first change after its closing. */
async function closingsOf(
  tx: Tx,
  kind: AnyKind,
  situation: Situation,
  booked: readonly Holding[],
): Promise<Decision[]> {
  const table = componentsOf(kind);
  const closings: Decision[] = [];
  for (const account of movedBy(compared(kind, situation, booked).wanted, situation.decisions, table))
    if (await isAccountClosed(tx, account))
      closings.push(systemDecision(closingNoted(account, booked, table), situation.at));
  return closings;
}

function compared(kind: AnyKind, situation: Situation, booked: readonly Holding[]) {
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

interface Posted {
  /** Its writes are still to be sent. */
  book: Book;
  accounts: LedgerAccount[];
  events: WebhookEvent[];
}

/**
 * Locks the accounts last: they may be the busiest rows of the tenant. The transfer's own is among them, for its history may
 * take a number after this.
 */
async function post(
  tx: Tx,
  { accountId, referenceId, idempotencyKey }: Transfer,
  changes: readonly Change[],
  table: ComponentTable,
  asked: Apply['asked'],
): Promise<Posted | undefined> {
  if (changes.length === 0) return undefined;
  await ensureAccounts(tx, changes);
  const ids = [...new Set(changes.flatMap(({ account }) => account ?? []))];
  const opened = await openBook(tx, [...new Set([...ids, ...(accountId === null ? [] : [accountId])])]);
  const entries = changes.map((change) => entryOf(change, table));
  let result = opened.post({ entries });
  if (!result.ok && asked)
    throw conflict('insufficient_funds', 'The available balance does not cover this.', asked.field);
  if (!result.ok) result = opened.post({ entries, forced: true });
  if (!result.ok) throw new Error('a forced posting was refused');
  const events = transactionEvents(opened, result.entries, {
    idempotencyKey,
    linkedTo: (reference) => (reference === referenceId ? undefined : referenceId),
  });
  return { book: opened, accounts: ids.map((id) => opened.account(id)), events };
}

/** The accounts whose breaks may have passed, though nothing of them was posted now. */
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
  /** A break of it passes by itself, which only another look can tell. */
  watched: boolean;
  dueSeen: Date | null | undefined;
}

/** The record as it is kept: what it has reached, and when it is looked at again. */
function afterwards(
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
  // From then on only the party's word or a conclusion ends the transfer.
  const ordered = next.orderedAt ?? (ordering && isOrdered(kind, situation) ? at : null);
  const { lookAt, dueBy } = looksOf(kind, situation, { listed, watched });
  const due = dueAfter(before.transfer.dueBy, dueSeen, dueBy);
  return { ...after, transfer: { ...next, orderedAt: ordered, lookAt, dueBy: due } };
}

/** Whether the order itself is due. */
export const isOrdered = (kind: Pick<AnyKind, 'orders'>, situation: Situation): boolean =>
  kind.orders(situation).some(({ what }) => what === 'open');
