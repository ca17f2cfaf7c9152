import { randomBytes } from 'node:crypto';
import { type Locking, locked, NOW, table } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import { conflict } from '../../kernel/errors';
import type { Keyring } from '../../kernel/security/keyring';
import type { MasterKey, MasterKeys } from '../../kernel/security/master-keys/port';
import { StartupError } from '../../kernel/startup-error';
import { type PublicKeys, publicKeysOf } from './derivation';
import { entropyOf, packSecret, type SeedSecret } from './secret';

const ID = 'main';
/** What the sealed seed is bound to. */
const SEED = { purpose: 'wallet-seeds', keyId: ID };
/** Extended public keys tell all addresses, so they are sealed too, by a key that every process has. */
const PUBLIC = 'wallet-public-keys';
const ENTROPY_BYTES = 32;
const seeds = () => table('wallet_seeds');

/** The keys of the signing process: SIGNER_KEYS for the seed, and the keyring for its public keys. */
export interface SeedKeys {
  signerKeys: MasterKeys;
  keyring: Keyring;
}

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
export async function ensureSeed(sql: Sql, keys: SeedKeys, locking: Locking = {}): Promise<WalletSeed> {
  const found = await findSeed(sql, keys.keyring, locking);
  if (found) return found;
  const entropy = randomBytes(ENTROPY_BYTES);
  try {
    await sql.run(
      seeds()
        .insert(await rowOf(keys, entropy))
        .onConflict('id')
        .ignore(),
    );
  } finally {
    entropy.fill(0);
  }
  const made = await findSeed(sql, keys.keyring, locking);
  if (!made) throw new Error('the seed of the wallets could not be created');
  return made;
}

/** As {@link replaceSecret}, by a mnemonic without a passphrase. @throws Problem 400 naming `mnemonic` */
export async function replaceSeed(tx: Sql, keys: SeedKeys, mnemonic: string): Promise<WalletSeed> {
  const entropy = entropyOf(mnemonic);
  try {
    return await replaceSecret(tx, keys, { entropy, passphrase: '' });
  } finally {
    entropy.fill(0);
  }
}

/**
 * Replaces the seed, or seals it anew by the signer keys at hand. The caller holds the seed's lock, and knows that no
 * wallet is derived from another one.
 */
export async function replaceSecret(tx: Sql, keys: SeedKeys, given: SeedSecret): Promise<WalletSeed> {
  const secret = packSecret(given);
  try {
    const row = await rowOf(keys, secret);
    const [made] = await tx.run<StoredSeed>(
      seeds().insert(row).onConflict('id').merge().returning(['publicKeys', 'createdAt']),
    );
    if (!made) throw new Error('the seed of the wallets could not be stored');
    return seedOf(keys.keyring, made);
  } finally {
    secret.fill(0);
  }
}

interface SealedSeed {
  sealed: Buffer;
  /** Id of the signer key that seals it. */
  sealedBy: string;
}

const findSealed = async (sql: Sql): Promise<SealedSeed | undefined> =>
  (await sql.run<SealedSeed>(seeds().select('sealed', 'sealedBy').where({ id: ID })))[0];

/**
 * Opens the seed while `work` runs. `work` gets the entropy, packed with its passphrase (`unpackSecret`).
 * @throws Error where no seed exists; StartupError naming the signer key that is missing or wrong
 */
export async function withEntropy<T>(
  sql: Sql,
  signerKeys: MasterKeys,
  work: (entropy: Uint8Array) => Promise<T>,
): Promise<T> {
  const row = await findSealed(sql);
  if (!row) throw new Error('there is no seed of wallets');
  const entropy = await opened(row, signerKeys);
  try {
    return await work(entropy);
  } finally {
    entropy.fill(0);
  }
}

/**
 * Reads the public keys as the seed itself gives them, and keeps them while the sealed seed is the same. The stored ones
 * prove nothing, because other processes can write them.
 * @throws as {@link withEntropy}
 */
export function seedReader(sql: Sql, signerKeys: MasterKeys): () => Promise<PublicKeys> {
  let known: { sealed: Buffer; publicKeys: PublicKeys } | undefined;
  return async () => {
    const row = await findSealed(sql);
    if (row && known?.sealed.equals(row.sealed)) return known.publicKeys;
    const publicKeys = await withEntropy(sql, signerKeys, publicKeysOf);
    known = row && { sealed: row.sealed, publicKeys };
    return publicKeys;
  };
}

/**
 * Seals the seed under the first of SIGNER_KEYS.
 * @returns the ids of the key before and the key now
 * @throws Problem 409 where there is no seed, or another process has sealed it in the meantime
 */
export async function sealSeedAnew(
  tx: Sql,
  signerKeys: MasterKeys,
): Promise<{ before: string; after: string }> {
  const row = await findSealed(tx);
  if (!row) throw conflict('invalid_transition', 'There is no seed yet.');
  const [first] = signerKeys;
  const entropy = await opened(row, signerKeys);
  try {
    const sealed = await sealedBy(first, entropy);
    const again = await opened({ sealed, sealedBy: first.id }, signerKeys);
    const isSame = again.equals(entropy);
    again.fill(0);
    if (!isSame)
      throw new StartupError(`The signer key "${first.id}" opens another value than it has sealed.`);
    const changed = await tx.run(
      seeds().where({ id: ID, sealed: row.sealed }).update({ sealed, sealedBy: first.id }).returning('id'),
    );
    if (changed.length === 0)
      throw conflict('version_conflict', 'Another process has sealed the seed just now.');
    return { before: row.sealedBy, after: first.id };
  } finally {
    entropy.fill(0);
  }
}

async function opened({ sealed, sealedBy: id }: SealedSeed, signerKeys: MasterKeys): Promise<Buffer> {
  const key = signerKeys.find((each) => each.id === id);
  if (!key) throw new StartupError(`SIGNER_KEYS lacks "${id}", which seals the wallets' seed.`);
  return key.open(sealed, SEED).catch((error: Error) => {
    throw new StartupError(`The signer key "${id}" does not open the wallets' seed: ${error.message}.`);
  });
}

const sealedBy = (key: MasterKey, entropy: Uint8Array): Promise<Buffer> =>
  key.seal(Buffer.from(entropy.buffer, entropy.byteOffset, entropy.byteLength), SEED);

async function rowOf({ signerKeys: [first], keyring }: SeedKeys, entropy: Uint8Array) {
  const publicKeys = Buffer.from(JSON.stringify(await publicKeysOf(entropy)));
  return {
    id: ID,
    sealed: await sealedBy(first, entropy),
    sealedBy: first.id,
    publicKeys: keyring.sealer(PUBLIC).seal(publicKeys, ID),
    createdAt: NOW,
  };
}
