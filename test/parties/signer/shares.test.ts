import { HDKey } from '@scure/bip32';
import { entropyToMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { publicKeysOf, withKey } from '../../../src/parties/signer/derivation';
import { fingerprintOf } from '../../../src/parties/signer/fingerprint';
import { entropyOf, packSecret, unpackSecret } from '../../../src/parties/signer/secret';
import { combineShares } from '../../../src/parties/signer/shares/combine';
import { splitIntoShares } from '../../../src/parties/signer/shares/split';
import { BIP39_VECTORS, SLIP39_VECTORS, VECTORS_PASSPHRASE } from './vectors';

const ENTROPY = Buffer.from('68a79eaca2324873eacc50cb9c6eca8cc68ea5d936f98787c60c7ebc74e6ce7c', 'hex');

const named = (shares: readonly string[]) =>
  shares.map((words, place) => ({ name: `share-${place + 1}`, words }));
const refusal = (shares: readonly { name: string; words: string }[]) =>
  combineShares(shares).then(
    () => 'opened',
    (error: Error) => error.message,
  );
const split = (shares = 5, threshold = 3, passphrase = '') =>
  splitIntoShares(ENTROPY, { shares, threshold, passphrase });

describe('official vectors', () => {
  it.each(SLIP39_VECTORS)('SLIP-39 $what', async ({ shares, secret }) => {
    const told = combineShares(named(shares), VECTORS_PASSPHRASE);
    if (secret === '') await expect(told).rejects.toMatchObject({ status: 400, field: 'share' });
    else expect(Buffer.from((await told).entropy).toString('hex')).toBe(secret);
  });

  it.each(BIP39_VECTORS)('BIP-39 $mnemonic', async ({ entropy: hex, mnemonic, root }) => {
    const entropy = entropyOf(`  ${mnemonic.toUpperCase()}\n`);
    expect(Buffer.from(entropy).toString('hex')).toBe(hex);
    const secret = packSecret({ entropy, passphrase: VECTORS_PASSPHRASE });
    expect(unpackSecret(secret)).toEqual({
      entropy: expect.objectContaining({ length: entropy.length }),
      passphrase: VECTORS_PASSPHRASE,
    });
    expect(await withKey(secret, 'm', (key) => key.privateExtendedKey)).toBe(root);
    const branch = HDKey.fromExtendedKey(root).derive("m/44'/60'/0'/0").publicExtendedKey;
    expect(await publicKeysOf(secret)).toEqual({ evm: branch });
    expect(await publicKeysOf(entropy)).not.toEqual({ evm: branch });
  });
});

describe('shares of a seed', () => {
  it.each([
    [2, 2],
    [5, 3],
    [16, 9],
  ])('opens by %d shares with threshold %d, whichever are given', async (shares, threshold) => {
    const made = await split(shares, threshold);
    expect(new Set(made).size).toBe(shares);
    for (const some of [made.slice(0, threshold), made.slice(-threshold), [...made].reverse()])
      expect(Buffer.from((await combineShares(named(some))).entropy)).toEqual(ENTROPY);
  });

  it('is random, and another set each time', async () => {
    const [one, other] = [await split(), await split()];
    expect(one[0]?.split(' ').slice(0, 2)).not.toEqual(other[0]?.split(' ').slice(0, 2));
  });

  it('needs its passphrase, and a wrong one opens another seed', async () => {
    const made = (await split(3, 2, 'four words and more')).slice(1);
    const opened = async (passphrase: string) =>
      Buffer.from((await combineShares(named(made), passphrase)).entropy);
    expect(await opened('four words and more')).toEqual(ENTROPY);
    expect(await opened('')).not.toEqual(ENTROPY);
    await expect(split(3, 2, 'naïve')).rejects.toMatchObject({ field: 'sharePassphrase' });
  });

  it('names the share that is wrong, and repeats no word of it', async () => {
    const made = named(await split());
    const other = named(await split());
    const changed = (place: number, change: (words: string[]) => unknown) =>
      made.map((share, index) => {
        const words = share.words.split(' ');
        if (index === place) change(words);
        return { ...share, words: words.join(' ') };
      });
    const swapped = (words: string[]) =>
      words.push(
        ...words.splice(
          words.findIndex((w, i) => i > 4 && w !== words[i + 1]),
          1,
        ),
      );
    const cases: [unknown, string][] = [
      [await refusal(changed(1, (words) => (words[6] = 'zzzz'))), 'share-2: word 7 is not in the list'],
      [
        await refusal(changed(1, (words) => (words[6] = 'constructor'))),
        'share-2: word 7 is not in the list',
      ],
      [await refusal(changed(2, swapped)), 'share-3: its checksum is wrong'],
      [await refusal(changed(3, (words) => words.splice(12))), 'share-4: has 12 words'],
      [await refusal(changed(4, (words) => words.splice(0))), 'share-5: holds no share'],
      [
        await refusal([...made.slice(0, 3), { name: 'of-2024', words: other[4]?.words ?? '' }]),
        'of-2024: belongs to another set of shares than share-1, share-2, share-3',
      ],
      [await refusal(made.slice(0, 2)), 'opens with 3 shares, and 2 are given'],
      [
        await refusal([...made.slice(0, 2), { ...made[0]!, name: 'copy' }]),
        'copy: is the same share as share-1',
      ],
      [await refusal([]), 'share is required'],
    ];
    for (const [told, wanted] of cases) expect(told).toContain(wanted);
    const words = new Set(made.flatMap((share) => share.words.split(' ')).filter((word) => word.length > 6));
    for (const [told] of cases)
      for (const word of words) expect(String(told).split(/\W+/)).not.toContain(word);
  });

  it('finds one share of another secret among shares of a set', async () => {
    // Share 5 of a set has the set's head and a valid checksum, but was made of another secret.
    const { shares } = SLIP39_VECTORS.find(({ what }) => what.includes('invalid digest'))!;
    expect(await refusal(named(shares))).toContain('together they open nothing');
  });

  it.each([
    [1, 1, 'shares'],
    [17, 3, 'shares'],
    [5, 1, 'threshold'],
    [3, 4, 'threshold'],
  ])('refuses %d shares with threshold %d', async (shares, threshold, field) => {
    await expect(split(shares, threshold)).rejects.toMatchObject({ status: 400, field });
  });
});

it('leaves no method of the library to for … in', async () => {
  await split(2, 2);
  const seen: string[] = [];
  const list: object = ['a'];
  for (const name in list) seen.push(name);
  for (const name in Object('a')) seen.push(name);
  expect(seen).toEqual(['0', '0']);
});

it('names a seed by a fingerprint that tells with and without a passphrase apart', async () => {
  const of = async (passphrase: string) =>
    fingerprintOf(await publicKeysOf(packSecret({ entropy: ENTROPY, passphrase })));
  expect(await of('')).toMatch(/^[0-9a-f]{4}(-[0-9a-f]{4}){4}$/);
  expect(await of('')).toBe(await of(''));
  expect(await of('')).not.toBe(await of('a'));
  expect(entropyToMnemonic(ENTROPY, wordlist)).toContain('hamster');
});
