import type { PartyChange, ReadChanges } from '../../../../src/parties/protocol/changes';
import type { PartyWord } from '../../../../src/transfers/engine/record';

/** A party of any kind in the test's memory. It knows orders by their keys, and says what the test sets. */
export interface WordDouble<Word extends PartyWord> {
  /** Accepts an order under a name. A repeated order with the same name has no effect. */
  order(key: string, ref: string): void;
  /** Adds a record of the party that has no order. @returns the party's name */
  foreign(word: Word): string;
  /** Sets the current word, and adds it to the list of changes. */
  say(ref: string, word: Word): void;
  now(ref: string): Word | undefined;
  /** All words so far, in order. */
  history(ref: string): readonly Word[];
  /** The answer to a question. Sometimes it is the word before. */
  ask(ref: string): Word | 'unknown_to_party';
  changes: ReadChanges;
  /** True at random until `settle`, for other faults of the party. */
  wavers(): boolean;
  /** From now on every answer is the current word. */
  settle(): void;
}

/**
 * @param first the word on a new order
 * @param isLate whether an answer is outdated
 */
export function createWordDouble<Word extends PartyWord>(
  first: (key: string) => Word,
  isLate: () => boolean,
): WordDouble<Word> {
  const said = new Map<string, Word[]>();
  const rows: PartyChange[] = [];
  let settled = false;

  function say(ref: string, word: Word): void {
    said.set(ref, [...(said.get(ref) ?? []), word]);
    rows.push({ id: `change-${rows.length + 1}`, ref, version: word.version });
  }

  const wavers = () => !settled && isLate();

  return {
    order(key, ref) {
      if (!said.has(ref)) say(ref, first(key));
    },
    foreign(word) {
      const ref = `party-own-${said.size}`;
      say(ref, word);
      return ref;
    },
    say,
    now: (ref) => said.get(ref)?.at(-1),
    history: (ref) => said.get(ref) ?? [],
    wavers,
    ask(ref) {
      const words = said.get(ref);
      if (!words) return 'unknown_to_party';
      return (words.length > 1 && wavers() ? words.at(-2) : words.at(-1)) as Word;
    },
    async changes(after) {
      const from = Number(after ?? 0);
      return {
        changes: rows.slice(from, from + 500),
        unreadable: [],
        next: String(Math.min(rows.length, from + 500)),
        more: rows.length > from + 500,
      };
    },
    settle() {
      settled = true;
    },
  };
}
