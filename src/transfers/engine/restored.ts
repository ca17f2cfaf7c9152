import { createHash } from 'node:crypto';
import type { Tx } from '../../kernel/db/database';
import { positionOf } from './books/closed-accounts';
import { balanced, componentsOf, differences, type Holding } from './books/position';
import { effective } from './conclusion';
import { canonical, follow, hear, isOlder, systemDecision } from './follow';
import type { AnyKind } from './kind';
import type { PartyWord, Situation } from './record';

/** A party that was restored from a copy counts its versions from below, so its news looks older than what is known. */

/** The decision by which a person follows such a party's version again. */
export const FOLLOWED = 'follow_version';

/** The party's last answer, where it was dropped because its version is older than the one that is known. */
export const droppedWord = ({
  transfer: { word, doubted },
}: Pick<Situation, 'transfer'>): PartyWord | undefined =>
  word !== null && doubted !== null && isOlder(doubted, word) ? doubted : undefined;

/** The same situation with a known word that holds no later one off by its version. */
export const unbound = <S extends Situation>(situation: S): S => {
  const { word } = situation.transfer;
  return { ...situation, transfer: { ...situation.transfer, word: word && { ...word, version: undefined } } };
};

/** A short name of a word: two people who see the same name mean the same word. */
export const fingerprintOf = (word: PartyWord): string =>
  createHash('sha256').update(canonical(word)).digest('hex').slice(0, 16);

/** What following the party's version again would change. */
export interface WouldMove {
  /** The version that is known, and the one that the party tells of now. */
  known: number | null;
  told: number | null;
  /** The word that would count, by its fingerprint. */
  word: string;
  status: string;
  becomes: string;
  /** What would be posted. */
  moves: Holding[];
  /** What the books hold before and after. */
  books: Holding[];
}

/** Rehearses the decision by the rules of now; nothing is done. @returns nothing where no answer was dropped */
export async function wouldMove(tx: Tx, kind: AnyKind, heard: Situation): Promise<WouldMove | undefined> {
  const dropped = droppedWord(heard);
  if (!dropped) return undefined;
  const before = effective(kind, heard);
  const next = hear(kind, unbound(heard), dropped);
  const found = await kind.consider?.(tx, effective(kind, next), before);
  const decisions = found ? [...next.decisions, systemDecision(found, next.at)] : next.decisions;
  const { situation } = follow(kind, effective(kind, { ...next, decisions }));
  const [from, to] = [before, situation].map((each) => balanced(positionOf(kind, each), componentsOf(kind)));
  return {
    ...{ known: heard.transfer.word?.version ?? null, told: dropped.version ?? null },
    ...{ word: fingerprintOf(dropped), status: before.transfer.status, becomes: situation.transfer.status },
    ...{ moves: differences(to ?? [], from ?? []), books: [...(from ?? []), ...(to ?? [])] },
  };
}
