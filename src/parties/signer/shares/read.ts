import { invalid } from '../../../kernel/errors';
import type { Slip39Library } from './library';

/** A share as a holder hands it in. */
export interface GivenShare {
  /** For errors: the file, and the line where it has several. */
  name: string;
  words: string;
}

/** The part of a share that tells nothing of the secret. */
export interface Share extends GivenShare {
  /** Random number of the set, with its form: shares of one set have the same. */
  set: string;
  group: number;
  groupThreshold: number;
  /** Its number in the set, from 0. */
  member: number;
  threshold: number;
}

/** The shortest share (SLIP-39), of a secret of 128 bits. */
const FEWEST_WORDS = 20;

/**
 * Reads a share alone.
 * @throws Problem 400 that names the share. The message repeats no word of it
 */
export function readShare({ places, isValid }: Slip39Library, { name, words: given }: GivenShare): Share {
  const words = given.trim().toLowerCase().split(/\s+/);
  const refuse = (what: string) => invalid(`${name}: ${what}`, 'share');
  const indices = words.map((word) => places.get(word));
  const wrong = indices.indexOf(undefined);
  if (words.length < 2) throw refuse('holds no share.');
  if (wrong >= 0) throw refuse(`word ${wrong + 1} is not in the list of SLIP-39.`);
  if (words.length < FEWEST_WORDS)
    throw refuse(`has ${words.length} words, and a share has at least ${FEWEST_WORDS}.`);
  const text = words.join(' ');
  if (!isValid(text))
    throw refuse('its checksum is wrong, so a word is mistyped, missing or in another place.');
  return { name, words: text, ...headOf(indices as number[]) };
}

/**
 * The first four words hold 40 bits: identifier (15), extendable (1), iteration exponent (4), then group, its threshold,
 * the number of groups, member, and its threshold (4 each).
 */
function headOf(indices: readonly number[]): Omit<Share, 'name' | 'words'> {
  const bits = indices
    .slice(0, 4)
    .map((index) => index.toString(2).padStart(10, '0'))
    .join('');
  const at = (from: number) => Number.parseInt(bits.slice(from, from + 4), 2);
  return {
    set: `${bits.slice(0, 20)}/${at(24)}/${at(28)}/${indices.length}`,
    group: at(20),
    groupThreshold: at(24) + 1,
    member: at(32),
    threshold: at(36) + 1,
  };
}
