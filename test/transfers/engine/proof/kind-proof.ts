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
import type { Verdict } from '../../../../src/transfers/screening/record';
import type { Exchange } from '../books';

/** An act of an operator, as plain data for readable failures. The kind's proof turns it into a decision. */
export interface Act {
  kind: string;
  /** The share of the available amount, if the act has an amount. */
  share: number;
  currency: string;
}

/** The act that closes the account. The kind's `consider` decides the consequence. */
export const CLOSE = 'close';

/** The act by which an operator follows a restored party's versions. */
export const FOLLOW = 'follow';

/** The acts by which operators decide on a screening. */
export const CLEAR = 'screen_clear';
export const REFUSE = 'screen_refuse';
export const SCREENED: Readonly<Record<string, Verdict>> = { [CLEAR]: 'cleared', [REFUSE]: 'refused' };

/**
 * `again`: the party repeats an earlier word, counted back, under its next version. `stopped`: the operator stops or
 * resumes the party. `restored`: the party was restored from a backup, so its versions are lower.
 */
export type Step<Word> =
  | { word: Word }
  | { again: number }
  | { act: Act }
  | { stopped: boolean }
  | { restored: true }
  | { refused: true }
  | { minutes: number };

/** The version of a party after its restore. */
export const restoredTo = (version: number): number => Math.floor(version / 2);

/** The earlier word that the party repeats. */
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

/**
 * The inputs of a kind's proof: possible words, possible acts, and the position by the party. It does not use the
 * kind's rules.
 */
export interface KindProof<Terms, Word extends PartyWord> {
  kind: TransferKind<Terms, Word>;
  /** New transfers, with all terms that matter. */
  fresh: fc.Arbitrary<Situation<Terms, Word>>;
  /** All words that the party could say, also contradictory ones, with and without versions. */
  words: fc.Arbitrary<Word>;
  acts: fc.Arbitrary<Act>;
  /** Adapts a word to this transfer. The keys `dec_1`, `dec_2` become the keys of our orders, if they exist. */
  addressed(word: Word, to: Addressee<Terms, Word>): Word;
  /** The decision of an act, or undefined if it is not possible. `heard` has the party's word without conclusions. */
  decision(
    situation: Situation<Terms, Word>,
    act: Act,
    heard: Situation<Terms, Word>,
  ): NewDecision | undefined;
  /** The result of the kind's `consider` after the account was closed. */
  closed?(now: Situation<Terms, Word>, before: Situation<Terms, Word>): NewDecision | undefined;
  /** All currencies of words and terms. */
  currencies: readonly string[];
  /**
   * The amount that the party owes us by its own word, in a currency.
   * @param decisions for kinds whose effective word depends on the system's decisions
   */
  positionOfParty(
    of: Pick<Transfer<Terms, Word>, 'terms' | 'word'>,
    currency: string,
    decisions?: readonly Decision[],
  ): Decimal;
  /** Components that are never below zero, such as the client's credits and debits. */
  neverNegative: readonly string[];
  /** The exchange by the terms. Null with one currency. */
  exchange(situation: Situation<Terms, Word>): Exchange | null;
  /** Statuses of the transition table that this proof cannot reach. */
  never?: readonly string[];
  /** Checks the kind's own invariants. `impossible`: the status cannot follow the word. @throws AssertionError */
  also?(situation: Situation<Terms, Word>, books: readonly Holding[], impossible: boolean): void;
}

/** The transfer that a word is about. Before its discovery there is only the word before. */
export interface Addressee<Terms, Word> {
  situation: Situation<Terms, Word> | undefined;
  before: Word | null;
}

/** Random steps, most of which are words of the party. */
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
  // One path in four begins with a stopped party, so that more steps happen before the first order.
  return fc
    .tuple(fc.constantFrom(true, false, false, false), path)
    .map(([isStopped, steps]) => (isStopped ? [{ stopped: true }, ...steps] : steps));
}

/** The ids of operators' decisions. The keys of our orders are among them. */
export const decidedByPeople = ({ decisions }: Pick<Situation, 'decisions'>): string[] =>
  decisions.filter(({ decidedBy }) => decidedBy !== SYSTEM).map(({ id }) => id);
