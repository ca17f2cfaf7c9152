import { invalid } from '../../../kernel/errors';
import { combineShares } from './combine';
import { slip39 } from './library';

export interface Split {
  shares: number;
  threshold: number;
  /** Printable ASCII. Empty: none. */
  passphrase: string;
}

/** One share of a set opens nothing where two are needed. SLIP-39 has 16 shares at most. */
export const FEWEST_SHARES = 2;
export const MAX_SHARES = 16;

/** PBKDF2 rounds are 10,000 · 2^exponent: 640,000 with a passphrase, which somebody could guess, and else SLIP-39's least. */
const EXPONENT = { guarded: 6, open: 0 } as const;

/**
 * Splits entropy into shares (SLIP-39, one group), and proves before anybody sees them that each share opens it.
 * @throws Problem 400 naming `threshold` or `sharePassphrase`
 */
export async function splitIntoShares(
  entropy: Uint8Array,
  { shares, threshold, passphrase }: Split,
): Promise<string[]> {
  assertSplit({ shares, threshold });
  assertSharePassphrase(passphrase);
  const library = await slip39();
  const bytes = [...entropy]; // plain, because a Buffer gives shares of another secret
  const { root } = library.split(bytes, {
    passphrase,
    threshold: 1,
    groups: [[threshold, shares, '']],
    iterationExponent: passphrase === '' ? EXPONENT.open : EXPONENT.guarded,
    extendableBackupFlag: 1,
  });
  bytes.fill(0);
  const made = root.mnemonics;
  const named = made.map((words, place) => ({ name: `share ${place + 1}`, words }));
  const opened = await combineShares(named, passphrase);
  const isSame = Buffer.from(opened.entropy).equals(entropy);
  opened.entropy.fill(0);
  if (!isSame || made.length !== shares) throw new Error('the shares that were made do not open the seed');
  return made;
}

/** @throws Problem 400 naming `shares` or `threshold` */
export function assertSplit({ shares, threshold }: Omit<Split, 'passphrase'>): void {
  if (shares < FEWEST_SHARES || shares > MAX_SHARES)
    throw invalid(`shares must be ${FEWEST_SHARES} to ${MAX_SHARES}.`, 'shares');
  if (threshold < FEWEST_SHARES || threshold > shares)
    throw invalid(`threshold must be ${FEWEST_SHARES} to the number of shares, ${shares}.`, 'threshold');
}

/** @throws Problem 400 naming `sharePassphrase` */
export function assertSharePassphrase(passphrase: string): void {
  if (!/^[\x20-\x7e]*$/.test(passphrase))
    throw invalid('sharePassphrase must be of printable ASCII characters (SLIP-39).', 'sharePassphrase');
}
