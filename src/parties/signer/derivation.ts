import { createECDH, createHmac, pbkdf2 } from 'node:crypto';
import { promisify } from 'node:util';
import { HDKey } from '@scure/bip32';
import { entropyToMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';

import type { ChainKind } from '../chain/port';

/**
 * The branch of each kind of chain (BIP-44): coin type of SLIP-44, first account, receiving addresses. A wallet's index
 * follows.
 */
export const BRANCHES: Readonly<Record<ChainKind, string>> = {
  evm: "m/44'/60'/0'/0",
};

/** The extended public key of each branch, from which all addresses are derived. */
export type PublicKeys = Readonly<Record<ChainKind, string>>;

/** @param entropy of a mnemonic without a passphrase (BIP-39), 16 to 32 bytes */
export async function publicKeysOf(entropy: Uint8Array): Promise<PublicKeys> {
  const seed = await seedOf(entropy);
  const keys = [HDKey.fromMasterSeed(seed)];
  try {
    // Derives one level at a time, because `derive` would leave the keys in between unwiped.
    for (const level of BRANCHES.evm.split('/').slice(1))
      keys.push((keys.at(-1) as HDKey).derive(`m/${level}`));
    return { evm: (keys.at(-1) as HDKey).publicExtendedKey };
  } finally {
    seed.fill(0);
    for (const key of keys) key.wipePrivateData();
  }
}

/** @param branch an extended public key */
export function publicKeyAt(branch: string, index: number): Uint8Array {
  const { publicKey } = HDKey.fromExtendedKey(branch).deriveChild(index);
  if (!publicKey) throw new Error('the derived key lacks its public half');
  return publicKey;
}

/**
 * Runs `work` with the private key of a path, then wipes the key, its parents and the seed. By Node's cryptography,
 * because the library computes the public key of each level, which takes most of a signature's time.
 */
export async function withPrivateKey<T>(
  entropy: Uint8Array,
  path: string,
  work: (privateKey: Buffer) => T | Promise<T>,
): Promise<T> {
  const seed = await seedOf(entropy);
  const secrets = [seed];
  try {
    let parent = hmac(Buffer.from('Bitcoin seed'), seed);
    secrets.push(parent);
    for (const level of path.split('/').slice(1)) {
      parent = childOf(parent, level);
      secrets.push(parent);
    }
    return await work(parent.subarray(0, 32));
  } finally {
    for (const secret of secrets) secret.fill(0);
  }
}

const hmac = (key: Buffer, data: Buffer): Buffer => createHmac('sha512', key).update(data).digest();

/** The order of the group of secp256k1 (SEC 2). */
const ORDER = 0xffffffff_ffffffff_ffffffff_fffffffe_baaedce6_af48a03b_bfd25e8c_d0364141n;
const HARDENED = 0x8000_0000;

/**
 * A private key's child (BIP-32).
 * @param parent the key in its first 32 bytes, the chain code in the others
 * @param level `44'` is hardened
 * @throws Error for a key that is none, which no seed has in practice (1 in 2¹²⁷)
 */
function childOf(parent: Buffer, level: string): Buffer {
  const [key, chainCode] = [parent.subarray(0, 32), parent.subarray(32)];
  const isHardened = level.endsWith("'");
  const index = Buffer.alloc(4);
  index.writeUInt32BE(Number.parseInt(level, 10) + (isHardened ? HARDENED : 0));
  const data = Buffer.concat([...(isHardened ? [Buffer.alloc(1), key] : [publicKeyOf(key)]), index]);
  const child = hmac(chainCode, data);
  data.fill(0);
  const added = numberIn(child.subarray(0, 32));
  const sum = (added + numberIn(key)) % ORDER;
  if (added >= ORDER || sum === 0n) throw new Error('the path has no key');
  child.write(sum.toString(16).padStart(64, '0'), 'hex');
  return child;
}

const numberIn = (bytes: Buffer): bigint => BigInt(`0x${bytes.toString('hex')}`);

function publicKeyOf(key: Buffer): Buffer {
  const curve = createECDH('secp256k1');
  curve.setPrivateKey(key);
  return curve.getPublicKey(null, 'compressed');
}

const derive = promisify(pbkdf2);

/** Uses Node's PBKDF2 in a thread, because the library's would block the event loop for a tenth of a second. */
const seedOf = (entropy: Uint8Array): Promise<Buffer> =>
  derive(entropyToMnemonic(entropy, wordlist), 'mnemonic', 2_048, 64, 'sha512');
