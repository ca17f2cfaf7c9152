import { invalid } from '../../../kernel/errors';
import { type Slip39Library, slip39 } from './library';
import { type GivenShare, readShare, type Share } from './read';

/** What shares open. */
export interface Combined {
  /** The entropy of a mnemonic. */
  entropy: Uint8Array;
  threshold: number;
  /** Names of the shares that were tried, each of which opens the secret with others of the set. */
  tried: string[];
}

/**
 * Opens the secret of shares (SLIP-39), and tries each share, also those above the threshold.
 * @param passphrase of the shares, not of the mnemonic. A wrong one opens another secret, which only a fingerprint tells
 * @throws Problem 400 that names the share at fault. The message repeats no word of it
 */
export async function combineShares(given: readonly GivenShare[], passphrase = ''): Promise<Combined> {
  if (given.length === 0) throw invalid('share is required: give a file for each share.', 'share');
  const library = await slip39();
  const shares = given.map((each) => readShare(library, each));
  assertOneSet(shares);
  assertDistinct(shares);
  const isGrouped = shares.some(({ groupThreshold }) => groupThreshold > 1);
  const threshold = isGrouped ? shares.length : (shares[0]?.threshold ?? 0);
  if (shares.length < threshold)
    throw invalid(
      `This set opens with ${threshold} shares, and ${shares.length} ${shares.length === 1 ? 'is' : 'are'} given.`,
      'share',
    );
  const entropy = await openAll(library, shares, threshold, passphrase);
  return { entropy, threshold, tried: shares.map(({ name }) => name) };
}

function assertOneSet(shares: readonly Share[]): void {
  const bySet = Map.groupBy(shares, ({ set }) => set);
  if (bySet.size < 2) return;
  const [most = [], ...others] = [...bySet.values()].sort((one, other) => other.length - one.length);
  const namesOf = (list: readonly Share[]) => list.map(({ name }) => name).join(', ');
  throw invalid(
    `${namesOf(others.flat())}: belongs to another set of shares than ${namesOf(most)}. Shares of two sets never open a seed.`,
    'share',
  );
}

function assertDistinct(shares: readonly Share[]): void {
  const seen = new Map<string, Share>();
  for (const share of shares) {
    const place = `${share.group}/${share.member}`;
    const earlier = seen.get(place);
    if (earlier)
      throw invalid(
        earlier.words === share.words
          ? `${share.name}: is the same share as ${earlier.name}.`
          : `${share.name}: has the same number as ${earlier.name} and other words.`,
        'share',
      );
    seen.set(place, share);
  }
}

/** Opens by the first shares, and again by each further one, which must open the same. */
async function openAll(
  library: Slip39Library,
  shares: readonly Share[],
  threshold: number,
  passphrase: string,
): Promise<Uint8Array> {
  const first = shares.slice(0, threshold);
  const entropy = opened(library, first, passphrase);
  if (!entropy)
    throw invalid(
      `${first.map(({ name }) => name).join(', ')}: each is a share of its own checksum, and together they open nothing. ` +
        'One of them is no share of this secret. Give a further share to learn which.',
      'share',
    );
  for (const further of shares.slice(threshold)) {
    const again = opened(library, [...first.slice(1), further], passphrase);
    const isSame = again !== undefined && Buffer.from(again).equals(entropy);
    again?.fill(0);
    if (!isSame) throw invalid(`${further.name}: does not open what the other shares open.`, 'share');
  }
  return entropy;
}

function opened(
  { combine }: Slip39Library,
  shares: readonly Share[],
  passphrase: string,
): Uint8Array | undefined {
  try {
    const bytes = combine(
      shares.map(({ words }) => words),
      passphrase,
    );
    const entropy = Uint8Array.from(bytes);
    bytes.fill(0);
    return entropy;
  } catch {
    return undefined; // the library's message may quote a share
  }
}
