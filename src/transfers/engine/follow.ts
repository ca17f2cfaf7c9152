import { newId } from '../../kernel/ids';
import { Decimal, ZERO } from '../../kernel/money/money';
import type { AnyKind, NewDecision } from './kind';
import { type Decision, type Part, type PartyWord, type Situation, SYSTEM, transitionOf } from './record';

/** A word that takes something back counts when it is read again after this time. Milliseconds. */
export const DOUBT_MS = 60_000;

/** Result of applying a word, a decision or the time to a transfer. Pure, so that tests try millions of paths. */
export interface Followed<S extends Situation = Situation> {
  situation: S;
  /** Decisions of the system on the way. */
  chosen: Decision[];
  /** Statuses on the way, each with the situation in which the transfer had it. */
  path: { previous: string; on: string; contradicts: boolean; situation: S }[];
  /** A trigger without a transition from the present status. The status stays. */
  impossible: string | null;
}

/**
 * Limit of transitions in a row. No kind has a longer path, so reaching the limit means that the table has a circle.
 */
const LONGEST = 20;

/** Applies the system's choices and the table's transitions until none is left. */
export function follow<S extends Situation>(kind: AnyKind, before: S): Followed<S> {
  const followed: Followed<S> = { situation: before, chosen: [], path: [], impossible: null };
  for (let steps = 0; steps < LONGEST; steps += 1) {
    const { situation } = followed;
    const chosen = kind.choose(situation);
    if (chosen) {
      const decision = systemDecision(chosen, situation.at);
      followed.chosen.push(decision);
      followed.situation = { ...situation, decisions: [...situation.decisions, decision] };
      continue;
    }
    const on = kind.trigger(situation);
    if (on === undefined) return followed;
    const previous = situation.transfer.status;
    const line = transitionOf(kind.transitions, previous, on);
    if (!line) return { ...followed, impossible: on };
    const failure = kind.failure(situation, on);
    followed.situation = { ...situation, transfer: { ...situation.transfer, status: line.to, failure } };
    followed.path.push({
      previous,
      on,
      contradicts: line.contradicts ?? false,
      situation: followed.situation,
    });
  }
  throw new Error(`the transitions of ${kind.name} form a circle at ${followed.situation.transfer.status}`);
}

export const systemDecision = (given: NewDecision, at: Date): Decision => decisionBy(SYSTEM, given, at);

/** Completes a new decision with its id, author and time. */
export function decisionBy(decidedBy: string, given: NewDecision, at: Date): Decision {
  const { kind, amount = null, currency = null, accountId = null, data = {}, reason = null } = given;
  return { id: newId('decision'), kind, amount, currency, accountId, data, reason, decidedBy, at };
}

/**
 * The situation after a word was received: applied, doubted or dropped.
 *
 * A word with an older version is dropped until a person follows it. A word without a version that takes something
 * back may be an overtaken answer. It counts when the same word is read again a minute later.
 * @param askedAt when the party was asked, if it was asked now; stored with a word that counts
 */
export function withReport<S extends Situation>(
  kind: AnyKind,
  before: S,
  report: PartyWord,
  askedAt?: Date,
): S {
  const { transfer, at } = before;
  const { word, doubted, doubtedAt } = transfer;
  // Stored beside the word that counts, for a person who follows a restored party (restored.ts).
  if (word !== null && isOlder(report, word))
    return { ...before, transfer: { ...transfer, doubted: report, doubtedAt: null } };
  if (word !== null && report.version === undefined && takesBack(kind, word, report)) {
    const same = doubted !== null && isSame(doubted, report);
    if (!same || doubtedAt === null)
      return { ...before, transfer: { ...transfer, doubted: report, doubtedAt: at } };
    if (at.getTime() - doubtedAt.getTime() < DOUBT_MS) return before;
  }
  const parts = withNew(transfer.parts, kind.parts(report, before));
  const next = { ...transfer, word: report, parts, doubted: null, doubtedAt: null };
  return { ...before, ...(askedAt ? { askedAt } : {}), transfer: next };
}

/** Whether a word has a lower version than the known word. */
export const isOlder = (report: PartyWord, known: PartyWord): boolean =>
  report.version !== undefined && known.version !== undefined && report.version < known.version;

/** Whether a word lowers or lacks a measure of the word before. */
function takesBack(kind: AnyKind, before: PartyWord, after: PartyWord): boolean {
  const measures = kind.measures(after);
  return Object.entries(kind.measures(before)).some(([name, amount]) => (measures[name] ?? ZERO).lt(amount));
}

export const isSame = (one: unknown, other: unknown): boolean => canonical(one) === canonical(other);

/** The same text for the same word, whatever the order of its fields and trailing zeros of its amounts. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (part instanceof Decimal) return part.toFixed();
    if (part === null || typeof part !== 'object' || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/**
 * Adds the parts that are new.
 * @param seen parts of a word in its order: names of the party, or parts that we ordered
 */
function withNew(known: readonly Part[], seen: readonly (string | Part)[]): readonly Part[] {
  const names = new Set(known.map(({ name }) => name));
  const added = seen
    .map((part) => (typeof part === 'string' ? { id: newId('reference'), name: part } : part))
    .filter(({ name }) => !names.has(name));
  return added.length === 0 ? known : [...known, ...added];
}
