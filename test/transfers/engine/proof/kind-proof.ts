import fc from 'fast-check';
import type { Decimal } from '../../../../src/kernel/money/money';
import type { Holding } from '../../../../src/transfers/engine/books/position';
import type { NewDecision, TransferKind } from '../../../../src/transfers/engine/kind';
import type { PartyWord } from '../../../../src/transfers/engine/record';
import {
  type Decision,
  type Situation,
  SYSTEM,
  type Transfer,
} from '../../../../src/transfers/engine/record';
import type { Exchange } from '../books';

/** What somebody does: plain data, so that a failing case can be read; the proof of its kind makes a decision of it. */
export interface Act {
  kind: string;
  /** A share of what there is, where the act takes an amount. */
  share: number;
  currency: string;
}

/** The act by which the account is closed: what follows from it is the kind's to `consider`. */
export const CLOSE = 'close';

/** The act by which a person follows the version of a restored party again. */
export const FOLLOW = 'follow';

/**
 * `again`: the party says what it has said so many words before, under its next version. `stopped`: the operator stops the
 * party, or lets it go on. `restored`: the party is a copy of before, and counts its versions from there.
 */
export type Step<Word> =
  | { word: Word }
  | { again: number }
  | { act: Act }
  | { stopped: boolean }
  | { restored: true }
  | { refused: true }
  | { minutes: number };

/** The version at which a party stands once it was restored. */
export const restoredTo = (version: number): number => Math.floor(version / 2);

/** What a party that has said all this says again. */
export function saidAgain<Word extends PartyWord>(
  said: readonly Word[],
  { again }: { again: number },
  version: number | undefined,
): Word | undefined {
  const word = said[said.length - 1 - (again % Math.max(1, said.length))];
  if (!word) return undefined;
  const { version: _, ...rest } = word;
  return { ...rest, ...(version === undefined ? {} : { version }) } as Word;
}

/** What a kind brings to be proved: nothing that knows its rules, but what its party could say and people could do. */
export interface KindProof<Terms, Word extends PartyWord> {
  kind: TransferKind<Terms, Word>;
  /** New transfers, of all terms that make a difference. */
  fresh: fc.Arbitrary<Situation<Terms, Word>>;
  /** Whatever the party could say: contradictory, withdrawn, with versions and without. */
  words: fc.Arbitrary<Word>;
  acts: fc.Arbitrary<Act>;
  /** A word about this transfer, whatever it names: its keys `dec_1`, `dec_2` … are our orders, where there are so many. */
  addressed(word: Word, to: Addressee<Terms, Word>): Word;
  /** What of an act can be decided here; nothing where it makes no sense. `heard`: with the party's own word. */
  decision(
    situation: Situation<Terms, Word>,
    act: Act,
    heard: Situation<Terms, Word>,
  ): NewDecision | undefined;
  /** What the kind's `consider` finds once the account has been closed. */
  closed?(now: Situation<Terms, Word>, before: Situation<Terms, Word>): NewDecision | undefined;
  /** All that stand in words and terms. */
  currencies: readonly string[];
  /** What the party itself would say that it owes us, in a currency. `decisions`: where only what the system has chosen tells what counts. */
  positionOfParty(
    of: Pick<Transfer<Terms, Word>, 'terms' | 'word'>,
    currency: string,
    decisions?: readonly Decision[],
  ): Decimal;
  /** Components that are never below zero: what a client has been given, or has had taken. */
  neverNegative: readonly string[];
  /** What the terms exchange into what; nothing where it is one currency. */
  exchange(situation: Situation<Terms, Word>): Exchange | null;
  /** Statuses of its table that it cannot come to. */
  never?: readonly string[];
  /** What else holds of this kind. `impossible`: the word is none for its status. @throws AssertionError */
  also?(situation: Situation<Terms, Word>, books: readonly Holding[], impossible: boolean): void;
}

/** Whom a word is about: where nobody has found it yet, what was said of it before is all there is. */
export interface Addressee<Terms, Word> {
  situation: Situation<Terms, Word> | undefined;
  before: Word | null;
}

/** Weighted so that a path is mostly what the party says. */
export function stepsOf<Terms, Word extends PartyWord>({
  words,
  acts,
}: Pick<KindProof<Terms, Word>, 'words' | 'acts'>): fc.Arbitrary<Step<Word>[]> {
  const path: fc.Arbitrary<Step<Word>[]> = fc.array(
    fc.oneof(
      { weight: 7, arbitrary: words.map((word) => ({ word })) },
      { weight: 2, arbitrary: fc.constantFrom({ again: 0 }, { again: 1 }, { again: 2 }) },
      { weight: 6, arbitrary: acts.map((act) => ({ act })) },
      { weight: 1, arbitrary: fc.constant({ restored: true as const }) },
      { weight: 1, arbitrary: fc.constantFrom({ stopped: true }, { stopped: false }, { stopped: false }) },
      { weight: 1, arbitrary: fc.constant({ refused: true as const }) },
      { weight: 2, arbitrary: fc.constantFrom({ minutes: 2 }, { minutes: 40 }) },
    ),
    { minLength: 1, maxLength: 12 },
  );
  // One life in four begins with a party that is stopped: what happens before the first order is then most of it.
  return fc
    .tuple(fc.constantFrom(true, false, false, false), path)
    .map(([isStopped, steps]) => (isStopped ? [{ stopped: true }, ...steps] : steps));
}

/** What people have decided, by id: the keys of our orders are among them. */
export const decidedByPeople = ({ decisions }: Pick<Situation, 'decisions'>): string[] =>
  decisions.filter(({ decidedBy }) => decidedBy !== SYSTEM).map(({ id }) => id);
