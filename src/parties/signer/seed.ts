import { randomBytes } from 'node:crypto';
import { mnemonicToEntropy } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { type Locking, locked, NOW, table } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import { invalid } from '../../kernel/errors';
import type { Keyring } from '../../kernel/security/keyring';
import { type PublicKeys, publicKeysOf } from './derivation';

const ID = 'main';
const PURPOSE = 'wallet-seeds';
/** Extended public keys tell all addresses, so they are sealed too, by a key that does not open the seed. */
const PUBLIC = 'wallet-public-keys';
const ENTROPY_BYTES = 32;
const seeds = () => table('wallet_seeds');

/** The public part of the seed, opened without the seed. */
export interface WalletSeed {
  publicKeys: PublicKeys;
  createdAt: Date;
}

/** @param locking `share` for deriving addresses, `update` for replacing the seed */
export async function findSeed(
  sql: Sql,
  keyring: Keyring,
  locking: Locking = {},
): Promise<WalletSeed | undefined> {
  const query = seeds().select('publicKeys', 'createdAt').where({ id: ID }).modify(locked, locking);
  const [found] = await sql.run<StoredSeed>(query);
  return found && seedOf(keyring, found);
}

interface StoredSeed {
  /** Sealed JSON. */
  publicKeys: Buffer;
  createdAt: Date;
}

const seedOf = (keyring: Keyring, { publicKeys, createdAt }: StoredSeed): WalletSeed => ({
  publicKeys: JSON.parse(keyring.sealer(PUBLIC).open(publicKeys, ID).toString()) as PublicKeys,
  createdAt,
});

/** Returns the seed, and makes it of 256 random bits where it is missing. Concurrent calls keep one seed. */
export async function ensureSeed(sql: Sql, keyring: Keyring, locking: Locking = {}): Promise<WalletSeed> {
  const found = await findSeed(sql, keyring, locking);
  if (found) return found;
  const entropy = randomBytes(ENTROPY_BYTES);
  try {
    await sql.run(
      seeds()
        .insert(await rowOf(keyring, entropy))
        .onConflict('id')
        .ignore(),
    );
  } finally {
    entropy.fill(0);
  }
  const made = await findSeed(sql, keyring, locking);
  if (!made) throw new Error('the seed of the wallets could not be created');
  return made;
}

/**
 * Replaces the seed by that of a mnemonic. The caller holds the seed's lock and knows that no wallet is derived yet.
 * @param mnemonic 12 to 24 English words (BIP-39), without a passphrase
 * @throws Problem 400 naming `mnemonic` for wrong words or a wrong checksum; the message does not repeat them
 */
export async function replaceSeed(tx: Sql, keyring: Keyring, mnemonic: string): Promise<WalletSeed> {
  const entropy = entropyOf(mnemonic);
  try {
    const row = await rowOf(keyring, entropy);
    const [made] = await tx.run<StoredSeed>(
      seeds().insert(row).onConflict('id').merge().returning(['publicKeys', 'createdAt']),
    );
    if (!made) throw new Error('the seed of the wallets could not be stored');
    return seedOf(keyring, made);
  } finally {
    entropy.fill(0);
  }
}

/** Opens the seed while `work` runs. @throws Error where no seed exists */
export async function withEntropy<T>(
  sql: Sql,
  keyring: Keyring,
  work: (entropy: Uint8Array) => Promise<T>,
): Promise<T> {
  const [row] = await sql.run<{ sealed: Buffer }>(seeds().select('sealed').where({ id: ID }));
  if (!row) throw new Error('there is no seed of wallets');
  const entropy = keyring.sealer(PURPOSE).open(row.sealed, ID);
  try {
    return await work(entropy);
  } finally {
    entropy.fill(0);
  }
}

async function rowOf(keyring: Keyring, entropy: Uint8Array) {
  const publicKeys = Buffer.from(JSON.stringify(await publicKeysOf(entropy)));
  return {
    id: ID,
    sealed: keyring.sealer(PURPOSE).seal(Buffer.from(entropy), ID),
    publicKeys: keyring.sealer(PUBLIC).seal(publicKeys, ID),
    createdAt: NOW,
  };
}

function entropyOf(mnemonic: string): Uint8Array {
  try {
    return mnemonicToEntropy(mnemonic.trim().toLowerCase().split(/\s+/).join(' '), wordlist);
  } catch {
    throw invalid('mnemonic must be 12 to 24 English words with their checksum (BIP-39).', 'mnemonic');
  }
}
