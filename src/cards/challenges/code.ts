import { createHmac } from 'node:crypto';
import { madeAt } from '../../kernel/ids';
import { isEqual } from '../../kernel/security/is-equal';
import type { Keyring } from '../../kernel/security/keyring';
import type { Challenge } from './record';

/** The number of possible codes: six decimal digits. */
const CODES = 1_000_000;
const DIGITS = 6;
const WORD_BYTES = 4;
/** Words from here on are skipped, because the remainder of their division would favour the lower codes. */
const FAIR_WORDS = Math.floor(2 ** 32 / CODES) * CODES;

/**
 * Derives the one-time code of a challenge. The code is not stored, and each attempt to send it mails the same code.
 * @returns six digits
 */
export function codeOf(keyring: Keyring, { id, codeNumber }: Pick<Challenge, 'id' | 'codeNumber'>): string {
  const key = keyring.secretFor('challenge-codes', madeAt(id));
  for (let round = 0; ; round += 1) {
    const digest = createHmac('sha256', key).update(`${id} ${codeNumber} ${round}`).digest();
    for (let offset = 0; offset < digest.length; offset += WORD_BYTES) {
      const word = digest.readUInt32BE(offset);
      if (word < FAIR_WORDS) return String(word % CODES).padStart(DIGITS, '0');
    }
  }
}

/** Compares in constant time. A text of another length is never right. */
export function isCode(
  keyring: Keyring,
  challenge: Pick<Challenge, 'id' | 'codeNumber'>,
  typed: string,
): boolean {
  return isEqual(typed, codeOf(keyring, challenge));
}
