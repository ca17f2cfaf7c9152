import { transliterate } from 'transliteration';

/** Everything outside of the characters that every bank of SEPA takes. */
const OTHERS = /[^A-Za-z0-9/\-?:().,'+ ]+/g;

/**
 * Spells a text in the characters of SEPA (EPC217-08), because a bank refuses a whole file for another one.
 * @param most characters at most
 */
export const plainText = (text: string, most: number): string =>
  transliterate(text).replace(OTHERS, ' ').replace(/\s+/g, ' ').trim().slice(0, most).trim();

/** A time as the messages have it: UTC, to the second. */
export const timeText = (at: Date): string => `${at.toISOString().slice(0, 19)}Z`;

/** A day in UTC. */
export const dayText = (at: Date): string => at.toISOString().slice(0, 10);
