import { newId } from '../../kernel/ids';
import { Decimal, ZERO } from '../../kernel/money/money';
import type { AnyKind, NewDecision } from './kind';
import { type Decision, type Part, type PartyWord, type Situation, SYSTEM, transitionOf } from './record';

/** A word that takes something back counts when it is read again so much later. Milliseconds. */
export const DOUBT_MS = 60_000;

/** Where a word, a decision or the time has led a transfer: pure, so that it is tried a million times. */
export interface Followed<S extends Situation = Situation> {
  situation: S;
  /** What the system chose on the way. */
  chosen: Decision[];
  /** The statuses that it went through, each with the situation in which it had it. */
  path: { previous: string; on: string; contradicts: boolean; situation: S }[];
  /** A trigger that the table has no line for, from the status where it stays. */
  impossible: string | null;
}

/** No kind has so long a way: a table that leads in a circle is a fault of ours. */
const LONGEST = 20;

/** Goes every way that is open now. */
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
  throw new Error(`a ${kind.name} goes in a circle at ${followed.situation.transfer.status}`);
}

export const systemDecision = (given: NewDecision, at: Date): Decision => decisionBy(SYSTEM, given, at);

/** A decision as it is kept. */
export function decisionBy(decidedBy: string, given: NewDecision, at: Date): Decision {
  const { kind, amount = null, currency = null, accountId = null, data = {}, reason = null } = given;
  return { id: newId('decision'), kind, amount, currency, accountId, data, reason, decidedBy, at };
}

/**
 * The situation with a word applied, doubted or dropped. An older word is dropped: it counts when a person says so. One without a version that takes
 * something back may be an answer that was overtaken: it counts when the same is read again a minute later.
 * @param askedAt when the party was asked, if it was asked now: kept with a word that counts
 */
export function hear<S extends Situation>(kind: AnyKind, before: S, heard: PartyWord, askedAt?: Date): S {
  const { transfer, at } = before;
  const { word, doubted, doubtedAt } = transfer;
  // Kept beside the word that counts, for a person who follows a party that was restored (restored.ts).
  if (word !== null && isOlder(heard, word))
    return { ...before, transfer: { ...transfer, doubted: heard, doubtedAt: null } };
  if (word !== null && heard.version === undefined && takesBack(kind, word, heard)) {
    const same = doubted !== null && isSame(doubted, heard);
    if (!same || doubtedAt === null)
      return { ...before, transfer: { ...transfer, doubted: heard, doubtedAt: at } };
    if (at.getTime() - doubtedAt.getTime() < DOUBT_MS) return before;
  }
  const parts = withNew(transfer.parts, kind.parts(heard, before));
  const next = { ...transfer, word: heard, parts, doubted: null, doubtedAt: null };
  return { ...before, ...(askedAt ? { askedAt } : {}), transfer: next };
}

/** The party counts versions, and this word is of one before. */
export const isOlder = (heard: PartyWord, known: PartyWord): boolean =>
  heard.version !== undefined && known.version !== undefined && heard.version < known.version;

/** Whether it lowers what the word before had, or lacks a part of it. */
function takesBack(kind: AnyKind, before: PartyWord, after: PartyWord): boolean {
  const measures = kind.measures(after);
  return Object.entries(kind.measures(before)).some(([name, amount]) => (measures[name] ?? ZERO).lt(amount));
}

export const isSame = (one: unknown, other: unknown): boolean => canonical(one) === canonical(other);

/** The same text for the same word, whatever the order of its fields and the zeros of its amounts. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (part instanceof Decimal) return part.toFixed();
    if (part === null || typeof part !== 'object' || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** @param seen the party's names of the parts in a word, in its order; those that we ordered go by our own id */
function withNew(known: readonly Part[], seen: readonly (string | Part)[]): readonly Part[] {
  const names = new Set(known.map(({ name }) => name));
  const added = seen
    .map((part) => (typeof part === 'string' ? { id: newId('reference'), name: part } : part))
    .filter(({ name }) => !names.has(name));
  return added.length === 0 ? known : [...known, ...added];
}
