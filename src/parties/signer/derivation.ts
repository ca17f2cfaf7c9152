import { pbkdf2 } from 'node:crypto';
import { promisify } from 'node:util';
import { HDKey } from '@scure/bip32';
import { entropyToMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';

import type { ChainKind } from '../chain/port';

/** The branch of a kind (BIP-44): coin types of SLIP-44, the first account, addresses for receiving. A wallet's index follows. */
export const BRANCHES: Readonly<Record<ChainKind, string>> = {
  evm: "m/44'/60'/0'/0",
};

/** The extended public key of each branch: what the addresses of all wallets are derived from. */
export type PublicKeys = Readonly<Record<ChainKind, string>>;

/** @param entropy of a mnemonic without a passphrase (BIP-39), 16 to 32 bytes */
export async function publicKeysOf(entropy: Uint8Array): Promise<PublicKeys> {
  return { evm: await withKey(entropy, BRANCHES.evm, ({ publicExtendedKey }) => publicExtendedKey) };
}

/** @param branch an extended public key */
export function publicKeyAt(branch: string, index: number): Uint8Array {
  const { publicKey } = HDKey.fromExtendedKey(branch).deriveChild(index);
  if (!publicKey) throw new Error('a derived key has a public half');
  return publicKey;
}

/** Hands over the key of that path and wipes what it was made from, and it, when the work is done. */
export async function withKey<T>(
  entropy: Uint8Array,
  path: string,
  work: (key: HDKey) => T | Promise<T>,
): Promise<T> {
  const seed = await seedOf(entropy);
  const keys: HDKey[] = [];
  try {
    let key = HDKey.fromMasterSeed(seed);
    keys.push(key);
    // A level at a time, for `derive` would leave the keys between behind.
    for (const level of path.split('/').slice(1)) {
      key = key.derive(`m/${level}`);
      keys.push(key);
    }
    return await work(key);
  } finally {
    seed.fill(0);
    for (const key of keys) key.wipePrivateData();
  }
}

const derive = promisify(pbkdf2);

/** By Node's own PBKDF2, beside the event loop: the library's takes a tenth of a second of it. */
const seedOf = (entropy: Uint8Array): Promise<Buffer> =>
  derive(entropyToMnemonic(entropy, wordlist), 'mnemonic', 2_048, 64, 'sha512');
