import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { ZERO } from '../../../../src/kernel/money/money';
import { componentsOf, differences, type Holding } from '../../../../src/transfers/engine/books/position';
import { type Conclusion, effective } from '../../../../src/transfers/engine/conclusion';
import { DOUBT_MS, decisionBy, follow, withReport } from '../../../../src/transfers/engine/follow';
import type { NewDecision } from '../../../../src/transfers/engine/kind';
import type { PartyWord } from '../../../../src/transfers/engine/record';
import { type Decision, type Situation, SYSTEM, transitionOf } from '../../../../src/transfers/engine/record';
import { droppedWord, FOLLOWED } from '../../../../src/transfers/engine/restored';
import { assertExchanged, assertTold, booksOf, heldByParty, posted, sumsOf, totalsOf } from '../books';
import { type Brought, type Looked, look } from '../look';
import { CLOSE, FOLLOW, type KindProof, restoredTo, type Step, saidAgain, stepsOf } from './kind-proof';

/**
 * Plays random paths and checks the invariants after every step (decisions part 4).
 * @throws Error with the smallest failing path and its seed
 */
export function proveKind<Terms, Word extends PartyWord>(
  proof: KindProof<Terms, Word>,
  { runs, seed }: { runs: number; seed?: number },
): { comparedPaths: number; statuses: ReadonlySet<string> } {
  let comparedPaths = 0;
  const statuses = new Set<string>();
  const steps = stepsOf(proof);
  const others = fc.array(proof.words, { maxLength: 5 });
  fc.assert(
    fc.property(proof.fresh, steps, others, (fresh, path, detour) => {
      const end = playPath(proof, fresh, path, statuses);
      assertRests(proof, end);
      assertWithoutStatus(proof, end);
      if (isPathIndependent(proof, fresh, end, detour)) comparedPaths += 1;
    }),
    { numRuns: runs, ...(seed === undefined ? {} : { seed }) },
  );
  return { comparedPaths, statuses };
}

function playPath<Terms, Word extends PartyWord>(
  proof: KindProof<Terms, Word>,
  fresh: Situation<Terms, Word>,
  path: readonly Step<Word>[],
  statuses: Set<string>,
): Situation<Terms, Word> {
  let situation = fresh;
  let booked: readonly Holding[] = [];
  const concluded: Concluded[] = [];
  const said: Word[] = [];
  let [isClosed, stopped] = [false, false];
  for (const step of path) {
    const before = situation;
    isClosed ||= 'act' in step && step.act.kind === CLOSE;
    if ('stopped' in step) stopped = step.stopped;
    const consider = isClosed ? proof.closed : undefined;
    const looked = taken(proof, before, step, { said, consider, stopped });
    situation = looked.situation;
    if (before !== fresh && isUnchanged(before, situation)) continue;
    for (const each of looked.path) statuses.add(each.situation.transfer.status);
    const conclusions = concludes(situation);
    if (conclusions.length > concludes(before).length)
      concluded.push({ on: wording(situation), as: conclusions.at(-1)?.data['as'] as Conclusion });
    assertConclusion(proof, situation, concluded);
    assertOrdered(proof, { fresh, before, now: looked, consider, stopped });
    const target = looked.books;
    assertTold(differences(target, booked), componentsOf(proof.kind));
    booked = posted(booked, target);
    assertEven(proof, looked, booked);
  }
  return situation;
}

/** Whether word, status and decisions are unchanged, so that the earlier checks still hold. */
const isUnchanged = (before: Situation, after: Situation): boolean =>
  after.transfer.word === before.transfer.word &&
  after.transfer.status === before.transfer.status &&
  after.decisions.length === before.decisions.length;

interface Around<Terms, Word> extends Pick<Brought<Terms, Word>, 'consider' | 'stopped'> {
  /** The party's words so far. The current word is added. */
  said: Word[];
}

/** Makes a step. The party says nothing before the order, so the first step comes without a word. */
function taken<Terms, Word extends PartyWord>(
  proof: KindProof<Terms, Word>,
  before: Situation<Terms, Word>,
  step: Step<Word>,
  { said, ...around }: Around<Terms, Word>,
): Looked<Terms, Word> {
  const minutes = 'minutes' in step ? step.minutes : undefined;
  const dropped = 'act' in step && step.act.kind === FOLLOW ? droppedWord(before) : undefined;
  if (dropped) return followed(proof, before, dropped as Word, around);
  const first = checked(proof, before, { minutes, decided: decided(proof, before, step), ...around });
  if (first.situation.transfer.orderedAt === null) return first;
  const word = sayingOf(proof, first.situation, step, said);
  if (!word) return first;
  said.push(word);
  const second = checked(proof, named(first.situation), { word, ...around });
  const [older, newer] = [before.transfer.word?.version, second.situation.transfer.word?.version];
  assert.ok(!(older !== undefined && newer !== undefined && newer < older), 'an older word counts');
  const isDropped = older !== undefined && word.version !== undefined && word.version < older;
  assert.deepEqual(droppedWord(second.situation), isDropped ? word : undefined, 'what a person may follow');
  return second;
}

/** An operator follows a restored party. The older word counts, and later words must be newer than it. */
function followed<Terms, Word extends PartyWord>(
  proof: KindProof<Terms, Word>,
  before: Situation<Terms, Word>,
  word: Word,
  around: Pick<Brought<Terms, Word>, 'consider' | 'stopped'>,
): Looked<Terms, Word> {
  const decision = numbered({ kind: FOLLOWED }, before, 'operator');
  const looked = checked(proof, before, { word, decided: [decision], renumbered: true, ...around });
  assert.deepEqual(looked.situation.transfer.word, word, 'the word that was followed counts');
  assert.equal(droppedWord(looked.situation), undefined, 'the word is still dropped');
  return looked;
}

/** Sets the party's name, which the answer to the order has brought. */
const named = <Terms, Word>({ transfer, ...rest }: Situation<Terms, Word>): Situation<Terms, Word> => ({
  ...rest,
  transfer: { ...transfer, partyRef: transfer.partyRef ?? 'named' },
});

function sayingOf<Terms, Word extends PartyWord>(
  proof: KindProof<Terms, Word>,
  situation: Situation<Terms, Word>,
  step: Step<Word>,
  said: readonly Word[],
): Word | 0 | undefined {
  if ('word' in step) return addressedTo(proof, situation, step.word);
  const { version } = situation.transfer.word ?? {};
  if ('restored' in step) return version && saidAgain(said, { again: 1 }, restoredTo(version));
  return 'again' in step ? saidAgain(said, step, version && version + 1) : undefined;
}

/** Makes a step, and checks that each transition is a line of the kind's table. */
function checked<Terms, Word extends PartyWord>(
  { kind }: KindProof<Terms, Word>,
  before: Situation<Terms, Word>,
  brought: Brought<Terms, Word>,
): Looked<Terms, Word> {
  const looked = look(kind, before, brought);
  let { status } = before.transfer;
  for (const { previous, on, situation: at } of looked.path) {
    assert.equal(previous, status);
    assert.equal(transitionOf(kind.transitions, previous, on)?.to, at.transfer.status);
    status = at.transfer.status;
  }
  assert.equal(looked.situation.transfer.status, status);
  if (looked.impossible !== null)
    assert.equal(transitionOf(kind.transitions, status, looked.impossible), undefined);
  return looked;
}

/** The word as a port returns it. @throws ZodError if no port would return it */
const addressedTo = <Terms, Word extends PartyWord>(
  { kind, addressed }: KindProof<Terms, Word>,
  situation: Situation<Terms, Word>,
  word: Word,
): Word => kind.word.parse(addressed(word, { situation, before: situation.transfer.word }));

function decided<Terms, Word extends PartyWord>(
  { kind, decision }: KindProof<Terms, Word>,
  situation: Situation<Terms, Word>,
  step: Step<Word>,
): Decision[] {
  const counting = effective(kind, situation);
  const made = 'act' in step ? decision(counting, step.act, situation) : undefined;
  const isOrdered = situation.transfer.orderedAt !== null;
  const [order] = 'refused' in step && isOrdered ? kind.orders(counting) : [];
  if (order) return [numbered({ kind: 'refused', data: { key: order.key, code: 'no' } }, situation, SYSTEM)];
  return made ? [numbered(made, situation, 'operator')] : [];
}

/** Gives a decision an id that is the same in every run. */
const numbered = (given: NewDecision, { decisions, at }: Situation, by: string): Decision => ({
  ...decisionBy(by, given, at),
  id: `decided_${decisions.length + 1}`,
});

const concludes = ({ decisions }: Situation) => decisions.filter(({ kind }) => kind === 'conclude');

/** A conclusion, and the party's word when it was made. */
interface Concluded {
  on: object | null;
  as: Conclusion;
}

function wording({ transfer: { word } }: Situation): object | null {
  if (word === null) return null;
  const { version: _, ...rest } = word;
  return rest;
}

/** Checks that a conclusion counts exactly while the party's word is the one that it was made on, in any version. */
function assertConclusion<Terms, Word extends PartyWord>(
  { kind }: KindProof<Terms, Word>,
  situation: Situation<Terms, Word>,
  all: readonly Concluded[],
): void {
  const said = wording(situation);
  const last = all.findLast(({ on }) => isDeepStrictEqual(on, said));
  const concluded = last && kind.concluded?.(situation, last.as);
  assert.deepEqual(effective(kind, situation).transfer.word, concluded ?? situation.transfer.word);
}

interface Ordered<Terms, Word extends PartyWord> extends Pick<Brought<Terms, Word>, 'consider' | 'stopped'> {
  fresh: Situation<Terms, Word>;
  before: Situation<Terms, Word>;
  now: Looked<Terms, Word>;
}

/**
 * Checks the rules of ordering. Before the order there is no word and no conclusion. A stopped party gets no order, and
 * a closed account gets none. After the order only the party's word or a conclusion ends the transfer.
 */
function assertOrdered<Terms, Word extends PartyWord>(
  { kind, closed }: KindProof<Terms, Word>,
  { fresh, before, now: { situation, counting }, consider, stopped }: Ordered<Terms, Word>,
): void {
  if (fresh.transfer.orderedAt !== null) return;
  const { orderedAt } = situation.transfer;
  if (orderedAt === null) {
    assert.equal(situation.transfer.word, null, 'a word before the order');
    assert.deepEqual(concludes(situation), [], 'concluded before the order');
    const [order] = stopped ? [] : kind.orders(counting);
    assert.equal(order, undefined, 'the order is due and not given');
    return;
  }
  if (before.transfer.orderedAt === null) {
    assert.ok(!stopped, 'ordered at a stopped party');
    assert.ok(!(consider && closed), 'ordered for a closed account');
  }
  const isRefused = situation.decisions.some(({ kind: name }) => name === 'refused');
  if (counting.transfer.word === null && !isRefused)
    assert.ok(kind.isOpen(counting), `${situation.transfer.status} without a word of the party`);
}

/** Checks that the books hold what the party owes us by its word, and that each currency sums to zero. */
function assertEven<Terms, Word extends PartyWord>(
  proof: KindProof<Terms, Word>,
  { counting, impossible }: Looked<Terms, Word>,
  books: readonly Holding[],
): void {
  const { kind, neverNegative } = proof;
  for (const currency of proof.currencies) {
    const held = heldByParty(kind, books, currency);
    const ought = proof.positionOfParty(counting.transfer, currency, counting.decisions);
    assert.equal(held.toFixed(), ought.toFixed(), `the party's ${currency}`);
  }
  for (const [currency, sum] of sumsOf(books, componentsOf(kind))) assert.equal(sum.toFixed(), '0', currency);
  assertExchanged(books, proof.exchange(counting));
  for (const { component, amount } of books)
    if (neverNegative.includes(component)) assert.ok(amount.gte(ZERO), `${component} is ${amount.toFixed()}`);
  proof.also?.(counting, books, impossible !== null);
}

/** Checks that a repeated word changes nothing. */
function assertRests<Terms, Word extends PartyWord>(
  proof: KindProof<Terms, Word>,
  situation: Situation<Terms, Word>,
): void {
  const { kind } = proof;
  const { word } = situation.transfer;
  const heard = word === null ? situation : withReport(kind, situation, word);
  const { chosen, path } = follow(kind, effective(kind, heard));
  assert.deepEqual([chosen, path], [[], []]);
  assert.deepEqual(booksOf(kind, effective(kind, heard)), booksOf(kind, effective(kind, situation)));
}

/** Checks that the books do not depend on the status. */
function assertWithoutStatus<Terms, Word extends PartyWord>(
  { kind }: KindProof<Terms, Word>,
  situation: Situation<Terms, Word>,
): void {
  const statuses = new Set([situation.transfer.status, ...kind.transitions.map(({ to }) => to)]);
  const positions = [...statuses].map((status) => {
    const transfer = { ...situation.transfer, status, failure: null, reached: {} };
    return JSON.stringify(kind.position(effective(kind, { ...situation, transfer })));
  });
  assert.equal(new Set(positions).size, 1, 'the books depend on the status');
}

/**
 * Checks that a detour to the same word and decisions leads to the same books. If the parts were first seen in another
 * order, only the sums must be equal.
 * @returns whether the detour has led to the same decisions, so that the books could be compared
 */
function isPathIndependent<Terms, Word extends PartyWord>(
  proof: KindProof<Terms, Word>,
  fresh: Situation<Terms, Word>,
  one: Situation<Terms, Word>,
  detour: readonly Word[],
): boolean {
  const { kind } = proof;
  const { word, orderedAt, partyRef } = one.transfer;
  if (word === null) return false;
  const { transfer } = fresh;
  let other: Situation<Terms, Word> = {
    transfer: { ...transfer, orderedAt, partyRef },
    decisions: one.decisions,
    at: one.at,
  };
  const way = detour.map((each) => before(addressedTo(proof, one, each), word));
  for (const heard of [...way, word, word])
    other = look(kind, other, { word: heard, minutes: DOUBT_MS / 60_000 }).situation;
  if (other.decisions.length !== one.decisions.length) return false;
  const [first, second] = [one, other].map((each) => booksOf(kind, effective(kind, each)));
  assert.deepEqual(totalsOf(second ?? []), totalsOf(first ?? []));
  const [order, its] = [one, other].map((each) => each.transfer.parts.map(({ name }) => name));
  const seen = (all: readonly string[] = [], of: readonly string[] = []) =>
    all.filter((name) => of.includes(name)).join();
  if (seen(order, its) === seen(its, order)) assert.deepEqual(lines(second), lines(first));
  return true;
}

/** A word of the detour, without a version, so that it is not newer than the last word. */
const before = <Word extends PartyWord>(word: Word, last: Word): Word =>
  last.version === undefined ? word : { ...word, version: undefined };

const lines = (books: readonly Holding[] = []): string[] =>
  books.map(({ amount, ...rest }) => JSON.stringify([rest, amount.toFixed()])).sort();
