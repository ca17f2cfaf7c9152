import { createHash } from 'node:crypto';
import type { Tx } from '../../kernel/db/database';
import { positionOf } from './books/closed-accounts';
import { balanced, componentsOf, differences, type Holding } from './books/position';
import { effective } from './conclusion';
import { canonical, follow, isOlder, systemDecision, withReport } from './follow';
import type { AnyKind } from './kind';
import type { PartyWord, Situation } from './record';

/**
 * A party restored from a backup counts its versions from a lower number, so its new words look older than the known
 * ones.
 */

/** A person's decision to follow the lower version. */
export const FOLLOWED = 'follow_version';

/** The party's last answer, if it was dropped because of its lower version. */
export const droppedWord = ({
  transfer: { word, doubted },
}: Pick<Situation, 'transfer'>): PartyWord | undefined =>
  word !== null && doubted !== null && isOlder(doubted, word) ? doubted : undefined;

/** The situation with a known word that has no version, so that it rejects no later word. */
export const unbound = <S extends Situation>(situation: S): S => {
  const { word } = situation.transfer;
  return { ...situation, transfer: { ...situation.transfer, word: word && { ...word, version: undefined } } };
};

/** A short hash of a word. Two people who see the same hash mean the same word. */
export const fingerprintOf = (word: PartyWord): string =>
  createHash('sha256').update(canonical(word)).digest('hex').slice(0, 16);

/** What following the lower version would change. */
export interface FollowingPreview {
  /** The known version, and the version that the party reports now. */
  known: number | null;
  reported: number | null;
  /** Fingerprint of the word that would count. */
  word: string;
  status: string;
  becomes: string;
  /** The postings. */
  moves: Holding[];
  /** The holdings before and after, in one list. */
  books: Holding[];
}

/** Previews the decision by the present rules. Changes nothing. @returns undefined where no answer was dropped */
export async function previewFollowing(
  tx: Tx,
  kind: AnyKind,
  reported: Situation,
): Promise<FollowingPreview | undefined> {
  const dropped = droppedWord(reported);
  if (!dropped) return undefined;
  const before = effective(kind, reported);
  const next = withReport(kind, unbound(reported), dropped);
  const found = await kind.consider?.(tx, effective(kind, next), before);
  const decisions = found ? [...next.decisions, systemDecision(found, next.at)] : next.decisions;
  const { situation } = follow(kind, effective(kind, { ...next, decisions }));
  const [from, to] = [before, situation].map((each) => balanced(positionOf(kind, each), componentsOf(kind)));
  return {
    known: reported.transfer.word?.version ?? null,
    reported: dropped.version ?? null,
    word: fingerprintOf(dropped),
    status: before.transfer.status,
    becomes: situation.transfer.status,
    moves: differences(to ?? [], from ?? []),
    books: [...(from ?? []), ...(to ?? [])],
  };
}
