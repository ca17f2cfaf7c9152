import type { PartyChange, ReadChanges } from '../../../../src/parties/protocol/changes';
import type { PartyWord } from '../../../../src/transfers/engine/record';

/** A party of whatever kind, in the memory of the test: it knows orders by their keys, and says what it is told to. */
export interface WordDouble<Word extends PartyWord> {
  /** Takes an order, under a name of the party's or the order's own. Asked again with the same key, it is the same. */
  order(key: string, ref: string): void;
  /** Something of the party's own, that nobody has ordered. @returns the party's name for it */
  foreign(word: Word): string;
  /** What it says from now on, listed as a change. */
  say(ref: string, word: Word): void;
  now(ref: string): Word | undefined;
  /** All that it has said, in order. */
  history(ref: string): readonly Word[];
  /** What it answers: now and then what was true before. */
  ask(ref: string): Word | 'unknown_to_party';
  changes: ReadChanges;
  /** Now and then, until it is settled: for what else does not answer as it ought. */
  wavers(): boolean;
  /** From now on each answer is what it says now. */
  settle(): void;
}

/**
 * @param first what it says of what has just been ordered
 * @param isLate whether an answer is one that was overtaken
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
