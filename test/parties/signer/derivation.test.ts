import { randomBytes } from 'node:crypto';
import { HDKey } from '@scure/bip32';
import { entropyToMnemonic, mnemonicToSeedSync } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { BRANCHES, publicKeyAt, publicKeysOf, withPrivateKey } from '../../../src/parties/signer/derivation';

test('derives the keys of BIP-32, at hardened levels and others', async () => {
  for (const bytes of [16, 32, 16, 32]) {
    const entropy = randomBytes(bytes);
    const master = HDKey.fromMasterSeed(mnemonicToSeedSync(entropyToMnemonic(entropy, wordlist)));
    for (const path of ['m', "m/44'/60'/0'/0/0", "m/44'/60'/0'/0/2147483647", "m/0/1'/2/3'"]) {
      const key = await withPrivateKey(entropy, path, (given) => Buffer.from(given).toString('hex'));
      expect([path, key]).toEqual([path, Buffer.from(master.derive(path).privateKey ?? []).toString('hex')]);
    }
  }
});

test('derives addresses from the public keys alone', async () => {
  const entropy = randomBytes(16);
  const { evm } = await publicKeysOf(entropy);
  const key = await withPrivateKey(entropy, `${BRANCHES.evm}/7`, (given) => Buffer.from(given));
  const leaf = HDKey.fromMasterSeed(mnemonicToSeedSync(entropyToMnemonic(entropy, wordlist))).derive(
    `${BRANCHES.evm}/7`,
  );
  expect(Buffer.from(publicKeyAt(evm, 7))).toEqual(Buffer.from(leaf.publicKey ?? []));
  expect(key).toEqual(Buffer.from(leaf.privateKey ?? []));
});

test('wipes the key after the work, also when it fails', async () => {
  let kept: Buffer | undefined;
  const work = withPrivateKey(randomBytes(16), BRANCHES.evm, (key) => {
    kept = key;
    throw new Error('cannot sign');
  });
  await expect(work).rejects.toThrow('cannot sign');
  expect(kept).toEqual(Buffer.alloc(32));
});
