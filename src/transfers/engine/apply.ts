import { isAccountClosed } from '../../accounts/accounts/operations';
import type { Tx } from '../../kernel/db/database';
import { writeWithCommit } from '../../kernel/db/writes';
import type { LedgerAccount } from '../../kernel/ledger/accounts';
import { once } from '../../kernel/once';
import { eventsWrite, tellWhenCommitted, type WebhookEvent } from '../../kernel/outbox/events';
import { syncBreaks } from '../../process/breaks/operations';
import { closingNoted, movedBy } from './books/closed-accounts';
import { type Change, componentsOf, type Holding } from './books/position';
import { BELOW_ZERO, breaksOf, VERSION_FELL } from './breaks';
import { effective } from './conclusion';
import { dueAfter } from './due';
import { type Followed, follow, isOlder, isSame, systemDecision, withReport } from './follow';
import type { AnyKind } from './kind';
import { noteStatuses } from './note-statuses';
import { leftBelowZero, positionChanges, post, withReferences } from './post';
import type { Decision, PartyWord, Situation, Transfer } from './record';
import { looksOf } from './step-schedule';
import { insertDecisions, insertEntries, type Locked, saveTransfers } from './store';
import { keepWords } from './tables/words';

export interface Apply {
  /** The party's word. Absent where the party was not asked. */
  report?: PartyWord | undefined;
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

/** A locked transfer with its new word and decisions. */
export type Applied = Apply & { locked: Locked };

/**
 * Brings status and books of a locked transfer to what terms, word and decisions demand, in the caller's transaction.
 * Events of accounts precede those of the status. Idempotent.
 * @throws Problem 409 `insufficient_funds` when `asked` is set
 */
export async function apply(tx: Tx, kind: AnyKind, locked: Locked, given: Apply): Promise<Situation> {
  const [after] = await applyAll(tx, kind, [{ ...given, locked }]);
  return after as Situation;
}

/**
 * As {@link apply} for several transfers, with the statements of one. The accounts of all are locked in the ledger's one
 * order, after the rows.
 * @returns the situations in the given order
 * @throws also when one of them cannot be applied, and then nothing of the others may be committed
 */
export async function applyAll(tx: Tx, kind: AnyKind, all: readonly Applied[]): Promise<Situation[]> {
  const closed = once((account: string) => isAccountClosed(tx, account));
  const judged = await Promise.all(all.map((each) => judge(tx, kind, each, closed)));
  const { book, each } = await post(
    tx,
    judged.map(({ situation: { transfer }, changes, turns, applied: { asked } }) => ({
      transfer,
      changes,
      asked,
      numbered: turns.length > 0,
    })),
    componentsOf(kind),
  );
  const left = await leftBelowZero(
    tx,
    judged.map(({ applied }, place) => ({ open: applied.locked.open, posted: each[place] })),
  );
  const outcomes = judged.map((one, place) =>
    outcomeOf(kind, one, [...(each[place]?.accounts ?? []), ...(left[place] ?? [])]),
  );
  const events = outcomes.flatMap((outcome, place) => [...(each[place]?.events ?? []), ...outcome.events]);
  if (events.length > 0) tellWhenCommitted(tx);
  await syncBreaks(tx, ...outcomes.map(({ breaks }) => breaks));
  // The remaining writes go with the commit, because other transactions wait for the accounts until then.
  writeWithCommit(tx, [book?.written(), eventsWrite(events)]);
  write(tx, kind, outcomes);
  return outcomes.map(({ after }) => after);
}

/** The demands of terms, word and decisions on a transfer, before anything is posted. */
interface Judged {
  applied: Applied;
  known: Situation;
  /** With the word that the party gave, also where a person has concluded. */
  considered: Situation;
  followed: Followed;
  situation: Situation;
  target: Holding[];
  changes: Change[];
  chosen: Decision[];
  turns: Followed['path'];
}

async function judge(
  tx: Tx,
  kind: AnyKind,
  applied: Applied,
  isClosed: (account: string) => Promise<boolean>,
): Promise<Judged> {
  const { locked, report, askedAt, decided = [] } = applied;
  const { booked, situation: before } = locked;
  const known = { ...before, decisions: [...before.decisions, ...decided] };
  const silent = askedAt ? { ...known, askedAt } : known;
  const word = report === undefined ? silent : withReport(kind, known, report, askedAt);
  const { considered, found } = await consider(tx, kind, word, known);
  const followed = follow(kind, effective(kind, considered));
  const closings = await closingsOf(kind, followed.situation, booked, isClosed);
  const situation = withDecisions(followed.situation, closings);
  const { target, wanted } = positionChanges(kind, situation, booked);
  return {
    applied,
    known,
    considered,
    followed,
    situation,
    target,
    changes: withReferences(situation.transfer, wanted, booked),
    chosen: [...decided, ...found, ...followed.chosen, ...closings],
    turns: changedOf(followed.path),
  };
}

interface Outcome extends Judged {
  after: Situation;
  breaks: ReturnType<typeof breaksOf>;
  /** Events of the changes of status. */
  events: WebhookEvent[];
}

function outcomeOf(kind: AnyKind, judged: Judged, accounts: readonly LedgerAccount[]): Outcome {
  const { applied, known, considered, followed, situation, target, changes, chosen, turns } = judged;
  const { locked, report, ordering = false, listed = () => true, dueSeen } = applied;
  const { path } = followed;
  const breaks = breaksOf(kind, situation, {
    target,
    followed,
    accounts,
    open: locked.open,
    isReported: report !== undefined,
    fell: hasFallen(known, report),
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
  const events = turns.flatMap((step) =>
    kind.eventsOf({ ...step.situation, at: situation.at }, step.previous),
  );
  return { ...judged, after, breaks, events };
}

function write(tx: Tx, kind: AnyKind, outcomes: readonly Outcome[]): void {
  const [first] = outcomes;
  if (!first) return;
  noteStatuses(
    tx,
    kind,
    outcomes.flatMap(({ turns }) =>
      turns.map(({ situation: { transfer }, previous }) => ({ transfer, previous })),
    ),
  );
  const madeBy = <Row>(made: (outcome: Outcome) => readonly Row[]) =>
    outcomes.map((each) => ({ transferId: each.after.transfer.id, made: made(each) }));
  insertDecisions(
    tx,
    madeBy(({ chosen }) => chosen),
  );
  insertEntries(
    tx,
    madeBy(({ changes }) => changes),
    first.situation.at,
  );
  const hasNewWord = ({ applied: { locked }, after }: Outcome) =>
    !isSame(locked.situation.transfer.word, after.transfer.word);
  const renewed = new Set(outcomes.filter(hasNewWord));
  keepWords(
    tx,
    [...renewed].map(({ after }) => after.transfer),
  );
  const moved = outcomes.filter((each) => renewed.has(each) || each.changes.length + each.chosen.length > 0);
  if (moved.length > 0)
    kind.kept?.(
      tx,
      moved.map(({ after, target }) => ({ situation: after, holds: target })),
    );
  saveTransfers(
    tx,
    outcomes.map(({ after }) => ({ transfer: after.transfer, unreleased: kind.unreleased?.(after) })),
  );
}

/** Changes of status in a path. A transition to the same status only changes the reason, and clients get no event. */
const changedOf = (path: Followed['path']): Followed['path'] =>
  path.filter(({ previous, situation }) => situation.transfer.status !== previous);

/** Whether a word has an older version than the known word. Such a word is dropped. */
export const hasFallen = ({ transfer: { word } }: Situation, report: PartyWord | undefined): boolean =>
  word !== null && report !== undefined && isOlder(report, word);

const withDecisions = (situation: Situation, more: readonly Decision[]): Situation =>
  more.length === 0 ? situation : { ...situation, decisions: [...situation.decisions, ...more] };

/** Decides `account_shut` for each closed account with the first change after its closing. */
async function closingsOf(
  kind: AnyKind,
  situation: Situation,
  booked: readonly Holding[],
  isClosed: (account: string) => Promise<boolean>,
): Promise<Decision[]> {
  const table = componentsOf(kind);
  const closings: Decision[] = [];
  for (const account of movedBy(positionChanges(kind, situation, booked).wanted, situation.decisions, table))
    if (await isClosed(account))
      closings.push(systemDecision(closingNoted(account, booked, table), situation.at));
  return closings;
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
  const isNew = !isSame(before.transfer.word, transfer.word);
  const changed = moved || isNew;
  const since = Object.fromEntries(
    path.map(({ situation }) => [situation.transfer.status, at.toISOString()]),
  );
  const next: Transfer = {
    ...transfer,
    wordAt: isNew ? at : transfer.wordAt,
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
