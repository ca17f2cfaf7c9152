import { table } from '../../../kernel/db/build';
import type { Sql, Tx } from '../../../kernel/db/database';
import { conflict } from '../../../kernel/errors';
import type { Keyring } from '../../../kernel/security/keyring';
import { type PublicKeys, publicKeysOf } from '../../../parties/signer/derivation';
import { fingerprintOf } from '../../../parties/signer/fingerprint';
import { addressAt } from '../../../parties/signer/local';
import { packSecret, type SeedSecret } from '../../../parties/signer/secret';
import { findSeed, replaceSecret, type SeedKeys } from '../../../parties/signer/seed';
import { hasWallets } from '../store';
import { isHeldByPeople } from './ceremonies';

export interface Imported {
  fingerprint: string;
  /** Wallets exist already: the seed is theirs, and was only sealed anew. */
  isRestored: boolean;
}

/**
 * Takes a seed into an empty installation, or back into one whose wallets are derived from it.
 * @throws Problem 409 `invalid_transition` where wallets are derived from another seed, or people hold another one
 */
export async function takeSeed(keys: SeedKeys, tx: Tx, secret: SeedSecret): Promise<Imported> {
  const before = await findSeed(tx, keys.keyring, { lock: 'update' });
  const { publicKeys } = await replaceSecret(tx, keys, secret);
  await assertMayTake(tx, before?.publicKeys, publicKeys);
  return { fingerprint: fingerprintOf(publicKeys), isRestored: await hasWallets(tx) };
}

/** @param before of the seed that the installation has, where there is one */
export async function assertMayTake(
  sql: Sql,
  before: PublicKeys | undefined,
  given: PublicKeys,
): Promise<void> {
  if (before?.evm === given.evm) return;
  if (!(await fitsWallets(sql, given)))
    throw conflict(
      'invalid_transition',
      'Wallets are derived from another seed, so this one cannot be taken.',
    );
  const held = before && fingerprintOf(before);
  if (held !== undefined && (await isHeldByPeople(sql, held)))
    throw conflict(
      'invalid_transition',
      `The installation has another seed, ${held}, which people hold. Use an empty installation.`,
    );
}

/** How many of the first and of the last wallets are compared. */
const COMPARED = 20;

/** The first and the last derived wallets of an installation, whose addresses tell the seed. Keys held elsewhere are not of it. */
export async function outerWallets(sql: Sql): Promise<{ derivationIndex: number; address: string }[]> {
  const wallets = (order: 'asc' | 'desc') =>
    sql.run<{ derivationIndex: number; address: string }>(
      table('wallets')
        .whereNull('heldBy')
        .select('derivationIndex', 'address')
        .orderBy('derivationIndex', order)
        .limit(COMPARED),
    );
  return [...(await wallets('asc')), ...(await wallets('desc')).reverse()];
}

/** Whether the first and the last wallets are derived from these keys. True without wallets. */
export const fitsWallets = async (sql: Sql, publicKeys: PublicKeys): Promise<boolean> =>
  (await outerWallets(sql)).every(
    ({ derivationIndex, address }) => addressAt({ publicKeys }, 'evm', derivationIndex) === address,
  );

/** The fingerprint of a secret, for which it derives the public keys. */
export async function fingerprintOfSecret(given: SeedSecret) {
  const secret = packSecret(given);
  try {
    const publicKeys = await publicKeysOf(secret);
    return { publicKeys, fingerprint: fingerprintOf(publicKeys) };
  } finally {
    secret.fill(0);
  }
}

/** The fingerprint of the installation's seed. Undefined where it has none. */
export async function presentFingerprint(sql: Sql, keyring: Keyring): Promise<string | undefined> {
  const seed = await findSeed(sql, keyring);
  return seed && fingerprintOf(seed.publicKeys);
}
