import { pbkdf2 } from 'node:crypto';
import { promisify } from 'node:util';
import { HDKey } from '@scure/bip32';
import type { ChainKind } from '../chain/port';
import { mnemonicOf, unpackSecret } from './secret';

/**
 * The branch of each kind of chain (BIP-44): coin type of SLIP-44, first account, receiving addresses. A wallet's index
 * follows.
 */
export const BRANCHES: Readonly<Record<ChainKind, string>> = {
  evm: "m/44'/60'/0'/0",
};

/** The extended public key of each branch, from which all addresses are derived. */
export type PublicKeys = Readonly<Record<ChainKind, string>>;

/** @param secret entropy of a mnemonic with its passphrase, packed (`packSecret`) */
export async function publicKeysOf(secret: Uint8Array): Promise<PublicKeys> {
  return { evm: await withKey(secret, BRANCHES.evm, ({ publicExtendedKey }) => publicExtendedKey) };
}

/** @param branch an extended public key */
export function publicKeyAt(branch: string, index: number): Uint8Array {
  const { publicKey } = HDKey.fromExtendedKey(branch).deriveChild(index);
  if (!publicKey) throw new Error('the derived key lacks its public half');
  return publicKey;
}

/** Runs `work` with the private key of a path, then wipes the key, its parents and the seed. */
export async function withKey<T>(
  secret: Uint8Array,
  path: string,
  work: (key: HDKey) => T | Promise<T>,
): Promise<T> {
  const seed = await seedOf(secret);
  const keys: HDKey[] = [];
  try {
    let key = HDKey.fromMasterSeed(seed);
    keys.push(key);
    // Derives one level at a time, because `derive` would leave the keys in between unwiped.
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

/** Uses Node's PBKDF2 in a thread, because the library's would block the event loop for a tenth of a second. */
function seedOf(secret: Uint8Array): Promise<Buffer> {
  const { entropy, passphrase } = unpackSecret(secret);
  return derive(mnemonicOf(entropy), `mnemonic${passphrase}`, 2_048, 64, 'sha512');
}
