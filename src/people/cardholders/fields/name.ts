import type { CheckResult } from './check';
import { transliterateName } from './transliteration';

/** In bytes of UTF-8 (`interface.md 8`). */
const MAX_BYTES = 40;

/** Names of test data, which reviewers refuse. The sandbox refuses them too (`interface.md 2.1`). */
const RESERVED = /TEST|MOCK|SANDBOX/i;

const LETTERS_ONLY =
  'must contain only Latin letters, spaces, hyphens, apostrophes and periods ' +
  '(accented Latin and Cyrillic letters are transliterated)';

/**
 * Checks a first or last name and corrects it to the ASCII spelling that is stored (`interface.md 2.1`).
 *
 * The limit of 40 bytes applies to the given name, where é and Ж take two bytes, and to the stored name, where Щ takes
 * four (Shch). The contract can be read either way, and both readings hold.
 */
export function checkName(name: string): CheckResult {
  if (Buffer.byteLength(name) > MAX_BYTES) return { problem: `must be at most ${MAX_BYTES} bytes long` };
  if (/\p{N}/u.test(name)) return { problem: 'must not contain digits' };
  const ascii = transliterateName(name);
  if (ascii === undefined || !/^[A-Za-z .'-]*$/.test(ascii)) return { problem: LETTERS_ONLY };
  if (!/^[A-Za-z]/.test(ascii)) return { problem: 'must start with a letter' };
  if (ascii.length > MAX_BYTES)
    return { problem: `must be at most ${MAX_BYTES} bytes long when transliterated` };
  if (RESERVED.test(ascii)) return { problem: 'must not contain TEST, MOCK or SANDBOX' };
  return { value: ascii };
}
