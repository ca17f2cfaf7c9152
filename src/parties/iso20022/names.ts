import { createHash } from 'node:crypto';
import { nameForLog } from '../protocol/names';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

export const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** The name of a file for people. Names of files have points, which {@link nameForLog} does not let pass. */
export const shownName = (name: string): string => (/^[\w.-]{1,120}$/.test(name) ? name : nameForLog(name));

/** Longest name that every message has room for. */
const MAX_NAME = 35;

/**
 * The name of an order in every message (`EndToEndId`), made of its key: capitals and digits, which every bank takes.
 * A key that is too long is hashed.
 */
export function endToEndIdOf(key: string): string {
  const plain = key.toUpperCase().replace(/[^A-Z0-9]/g, '');
  return plain.length > 0 && plain.length <= MAX_NAME ? plain : `H${sha256(key).slice(0, 34).toUpperCase()}`;
}

/** The name of a booked entry. The same in a notification and in the statement that repeats it. */
export const entryName = (account: string, side: string, reference: string): string =>
  sha256(`${account}/${side}/${reference}`);

/** Our id of a received payment, by the name of its entry. */
export const creditIdOf = (entry: string): string => `crd-${entry.slice(0, 32)}`;

export const returnIdOf = (reference: string): string => `ret-${sha256(reference).slice(0, 32)}`;
