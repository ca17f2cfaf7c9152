import { createHmac } from 'node:crypto';
import type { Database, Sql } from '../../kernel/db/database';
import { Problem } from '../../kernel/errors';
import { madeAt } from '../../kernel/ids';
import { isEqual } from '../../kernel/security/is-equal';
import type { Keyring } from '../../kernel/security/keyring';
import { openBreakAgain } from '../../process/breaks/operations';
import type { Wallet } from './record';

/**
 * The product attests a wallet when it derives the address, under a key of the installation. A row that somebody wrote to
 * the database by hand is therefore never given to a payer or shown.
 */

/** The attested fields of a wallet, which never change. */
export type Derived = Pick<Wallet, 'id' | 'chain' | 'address' | 'derivationIndex' | 'purpose'>;

/** Break: the row of a wallet was not written by the product. */
const FORGED = 'wallet_not_derived';

/** HMAC-SHA256 under the installation's key of that purpose. */
export const attestationOf = (
  keyring: Keyring,
  { id, chain, address, derivationIndex, purpose }: Derived,
): Buffer =>
  createHmac('sha256', keyring.secretFor('wallet-addresses', madeAt(id)))
    .update(JSON.stringify([id, chain, address, derivationIndex, purpose]))
    .digest();

export function isAttested(
  keyring: Keyring,
  { attestation, ...derived }: Derived & Pick<Wallet, 'attestation'>,
): boolean {
  return isEqual(attestation, attestationOf(keyring, derived));
}

/** Stands for the address of a row that is not attested. */
const NOT_OURS = 'not derived from our seed';

/** The address for a person to see. */
export const shownAddress = (keyring: Keyring, wallet: Wallet): string =>
  isAttested(keyring, wallet) ? wallet.address : NOT_OURS;

/**
 * Returns a wallet whose address may be shown to a payer.
 * @throws Problem 503 for a wallet that is not attested, with a break that stays although the caller's transaction does not
 */
export async function attested(
  { database, keyring }: { database: Database; keyring: Keyring },
  wallet: Wallet,
): Promise<Wallet> {
  if (isAttested(keyring, wallet)) return wallet;
  await showForged(database, wallet);
  throw new Problem(503, 'unavailable', 'The address cannot be confirmed as ours, so it is not shown.');
}

/** Opens the break of a wallet that is not attested. The row stays, because it is evidence. */
export const showForged = (sql: Sql, { id, chain }: Pick<Wallet, 'id' | 'chain'>): Promise<void> =>
  openBreakAgain(sql, { tenantId: null, kind: FORGED, subject: id, detail: chain });
