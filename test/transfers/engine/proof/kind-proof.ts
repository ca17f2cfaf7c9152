import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { type Decimal, ZERO } from '../../../../src/kernel/money/money';
import { type Conclusion, effective } from '../../../../src/transfers/engine/conclusion';
import { DOUBT_MS, follow, hear } from '../../../../src/transfers/engine/follow';
import type { NewDecision, PartyWord, TransferKind } from '../../../../src/transfers/engine/kind';
import {
  type ComponentTable,
  type Holding,
  INTERNAL_COMPONENTS,
} from '../../../../src/transfers/engine/position';
import { type Decision, type Situation, SYSTEM, transitionOf } from '../../../../src/transfers/engine/record';
import { assertExchanged, booksOf, type Exchange, heldByParty, posted, sumsOf, totalsOf } from './books';

/** What somebody does: plain data, so that a failing case can be read; the proof of its kind makes a decision of it. */
export interface Act {
  kind: string;
  /** A share of what there is, where the act takes an amount. */
  share: number;
  currency: string;
}

export type Step<Word> = { word: Word } | { act: Act } | { refused: true } | { minutes: number };

/** What a kind brings to be proved: nothing that knows its rules, but what its party could say and people could do. */
export interface KindProof<Terms, Word extends PartyWord> {
  kind: TransferKind<Terms, Word>;
  /** New transfers, of all terms that make a difference. */
  fresh: fc.Arbitrary<Situation<Terms, Word>>;
  /** Whatever the party could say: contradictory, withdrawn, with versions and without. */
  words: fc.Arbitrary<Word>;
  acts: fc.Arbitrary<Act>;
  /** A word about this transfer: its keys `dec_1`, `dec_2` … are our orders' ids, where there are so many; else it has none. */
  addressed(word: Word, of: { id: string | null; orders: readonly string[] }): Word;
  /** What of an act can be decided here; nothing where it makes no sense. `heard`: with the party's own word. */
  decision(
    situation: Situation<Terms, Word>,
    act: Act,
    heard: Situation<Terms, Word>,
  ): NewDecision | undefined;
  /** All that stand in words and terms. */
  currencies: readonly string[];
  /** The component that stands for the party. */
  partyComponent: string;
  /** What the party itself would say that it owes us, in a currency. */
  positionOfParty(word: Word | null, currency: string): Decimal;
  /** Components that are never below zero: what a client has been given, or has had taken. */
  neverNegative: readonly string[];
  /** What the terms exchange into what; nothing where it is one currency. */
  exchange(situation: Situation<Terms, Word>): Exchange | null;
  /** What else holds of this kind. @throws AssertionError */
  also?(situation: Situation<Terms, Word>, books: readonly Holding[]): void;
}

export const tableOf = ({ components }: { components: ComponentTable }): ComponentTable => ({
  ...INTERNAL_COMPONENTS,
  ...components,
});

/** Weighted so that a path is mostly what the party says. */
export function stepsOf<Terms, Word extends PartyWord>({
  words,
  acts,
}: Pick<KindProof<Terms, Word>, 'words' | 'acts'>): fc.Arbitrary<Step<Word>[]> {
  return fc.array(
    fc.oneof(
      { weight: 7, arbitrary: words.map((word) => ({ word })) },
      { weight: 6, arbitrary: acts.map((act) => ({ act })) },
      { weight: 1, arbitrary: fc.constant({ refused: true as const }) },
      { weight: 2, arbitrary: fc.constantFrom({ minutes: 2 }, { minutes: 40 }) },
    ),
    { minLength: 1, maxLength: 12 },
  );
}

/**
 * Plays random paths and asserts after every step what must hold whatever was said, decided or repeated (decisions part 4).
 * @throws Error with the smallest failing path and its seed
 */
export function proveKind<Terms, Word extends PartyWord>(
  proof: KindProof<Terms, Word>,
  { runs, seed }: { runs: number; seed?: number },
): { comparedPaths: number } {
  let comparedPaths = 0;
  const steps = stepsOf(proof);
  const others = fc.array(proof.words, { maxLength: 5 });
  fc.assert(
    fc.property(proof.fresh, steps, others, (fresh, path, detour) => {
      let situation = fresh;
      let booked: readonly Holding[] = [];
      let madeOn: Word | null = null;
      for (const step of path) {
        const before = situation;
        situation = played(proof, before, step);
        if (concludes(situation).length > concludes(before).length) madeOn = situation.transfer.word;
        assertConclusion(proof, situation, madeOn);
        booked = posted(booked, booksOf(proof.kind, effective(proof.kind, situation)));
        assertEven(proof, situation, booked);
      }
      assertRests(proof, situation);
      if (comesToTheSame(proof, fresh, situation, detour)) comparedPaths += 1;
    }),
    { numRuns: runs, ...(seed === undefined ? {} : { seed }) },
  );
  return { comparedPaths };
}

/** As `apply` goes (src/transfers/engine/apply.ts), without the books. Each status on the way is a line of the table. */
function played<Terms, Word extends PartyWord>(
  proof: KindProof<Terms, Word>,
  before: Situation<Terms, Word>,
  step: Step<Word>,
): Situation<Terms, Word> {
  const { kind } = proof;
  const minutes = 'minutes' in step ? step.minutes : 0;
  const known = decided(proof, { ...before, at: new Date(before.at.getTime() + minutes * 60_000) }, step);
  const heard = 'word' in step ? hear(kind, known, addressedTo(proof, known, step.word)) : known;
  const [older, newer] = [before.transfer.word?.version, heard.transfer.word?.version];
  assert.ok(!(older !== undefined && newer !== undefined && newer < older), 'an older word counts');
  const { situation, path, impossible } = follow(kind, effective(kind, heard));
  let { status } = before.transfer;
  for (const { previous, on, situation: at } of path) {
    assert.equal(previous, status);
    assert.equal(transitionOf(kind.transitions, previous, on)?.to, at.transfer.status);
    status = at.transfer.status;
  }
  assert.equal(situation.transfer.status, status);
  if (impossible !== null) assert.equal(transitionOf(kind.transitions, status, impossible), undefined);
  return { ...situation, transfer: { ...situation.transfer, word: heard.transfer.word } };
}

const addressedTo = <Terms, Word extends PartyWord>(
  { addressed }: KindProof<Terms, Word>,
  { transfer: { id }, decisions }: Situation<Terms, Word>,
  word: Word,
): Word =>
  addressed(word, {
    id,
    orders: decisions.filter(({ decidedBy }) => decidedBy !== SYSTEM).map((decision) => decision.id),
  });

function decided<Terms, Word extends PartyWord>(
  { kind, decision }: KindProof<Terms, Word>,
  situation: Situation<Terms, Word>,
  step: Step<Word>,
): Situation<Terms, Word> {
  const counting = effective(kind, situation);
  const made = 'act' in step ? decision(counting, step.act, situation) : undefined;
  const [order] = 'refused' in step ? kind.orders(counting) : [];
  const given: NewDecision | undefined = order ? { kind: 'refused', data: { key: order.key } } : made;
  if (!given) return situation;
  return { ...situation, decisions: [...situation.decisions, numbered(given, situation)] };
}

function numbered(given: NewDecision, { decisions, at }: Situation): Decision {
  const { kind, amount = null, currency = null, accountId = null, data = {}, reason = null } = given;
  const decidedBy = kind === 'refused' ? SYSTEM : 'operator';
  const id = `decided_${decisions.length + 1}`;
  return { id, kind, amount, currency, accountId, data, reason, decidedBy, at };
}

const concludes = ({ decisions }: Situation) => decisions.filter(({ kind }) => kind === 'conclude');

/** What a person concluded counts until the party says something else than what it was made on, and no longer. */
function assertConclusion<Terms, Word extends PartyWord>(
  { kind }: KindProof<Terms, Word>,
  situation: Situation<Terms, Word>,
  madeOn: Word | null,
): void {
  const { word } = situation.transfer;
  const as = concludes(situation).at(-1)?.data['as'] as Conclusion | undefined;
  const holds = as !== undefined && isDeepStrictEqual(madeOn, word);
  const concluded = holds ? kind.concluded?.(situation, as) : undefined;
  assert.deepEqual(effective(kind, situation).transfer.word, concluded ?? word);
}

/** The books hold what the party says that it owes us, and all that they hold sums to zero. */
function assertEven<Terms, Word extends PartyWord>(
  proof: KindProof<Terms, Word>,
  situation: Situation<Terms, Word>,
  books: readonly Holding[],
): void {
  const { kind, partyComponent, neverNegative } = proof;
  const counting = effective(kind, situation);
  const { word } = counting.transfer;
  for (const currency of proof.currencies) {
    const held = heldByParty(books, partyComponent, currency);
    assert.equal(held.toFixed(), proof.positionOfParty(word, currency).toFixed(), `the party's ${currency}`);
  }
  for (const [currency, sum] of sumsOf(books, tableOf(kind))) assert.equal(sum.toFixed(), '0', currency);
  assertExchanged(books, proof.exchange(counting));
  for (const { component, amount } of books)
    if (neverNegative.includes(component)) assert.ok(amount.gte(ZERO), `${component} is ${amount.toFixed()}`);
  proof.also?.(counting, books);
}

/** Nothing new leads nowhere new. */
function assertRests<Terms, Word extends PartyWord>(
  proof: KindProof<Terms, Word>,
  situation: Situation<Terms, Word>,
): void {
  const { kind } = proof;
  const { word } = situation.transfer;
  const heard = word === null ? situation : hear(kind, situation, word);
  const { chosen, path } = follow(kind, effective(kind, heard));
  assert.deepEqual([chosen, path], [[], []]);
  assert.deepEqual(booksOf(kind, effective(kind, heard)), booksOf(kind, effective(kind, situation)));
}

/**
 * By any other way to the same word and decisions the books hold the same; parts go by the party's names, and where they were
 * first seen in another order the sums are the same.
 * @returns whether the other way has led to the same decisions, so that there was something to compare
 */
function comesToTheSame<Terms, Word extends PartyWord>(
  proof: KindProof<Terms, Word>,
  fresh: Situation<Terms, Word>,
  one: Situation<Terms, Word>,
  detour: readonly Word[],
): boolean {
  const { kind } = proof;
  const { word } = one.transfer;
  if (word === null) return false;
  let other: Situation<Terms, Word> = { ...fresh, decisions: one.decisions, at: one.at };
  for (const heard of [...detour.map((each) => before(addressedTo(proof, one, each), word)), word, word]) {
    other = { ...other, at: new Date(other.at.getTime() + DOUBT_MS) };
    const known = hear(kind, other, heard);
    const { situation } = follow(kind, effective(kind, known));
    other = { ...situation, transfer: { ...situation.transfer, word: known.transfer.word } };
  }
  if (other.decisions.length !== one.decisions.length) return false;
  const [first, second] = [one, other].map((each) => ({
    order: each.transfer.parts.map(({ name }) => name),
    books: booksOf(kind, effective(kind, each)),
    parts: each.transfer.parts,
  })) as [Compared, Compared];
  assert.deepEqual(totalsOf(second.books), totalsOf(first.books));
  const seen = (all: readonly string[], of: readonly string[]) => all.filter((name) => of.includes(name));
  if (seen(first.order, second.order).join() === seen(second.order, first.order).join())
    assert.deepEqual(namedBy(second), namedBy(first));
  return true;
}

/** A word of the way there: never newer than the one that it leads to. */
const before = <Word extends PartyWord>(word: Word, last: Word): Word =>
  last.version === undefined ? word : { ...word, version: undefined };

interface Compared {
  order: string[];
  books: Holding[];
  parts: readonly { id: string; name: string }[];
}

/** The holdings with the party's names of their parts. */
function namedBy({ books, parts }: Compared): string[] {
  const names = new Map(parts.map(({ id, name }) => [id, name]));
  return books
    .map(({ part, amount, ...rest }) =>
      JSON.stringify([rest, names.get(part ?? '') ?? part, amount.toFixed()]),
    )
    .sort();
}
