import type { Sql, Tx } from '../../kernel/db/database';
import { conflict, invalid } from '../../kernel/errors';
import type { Keyring } from '../../kernel/security/keyring';
import { addressAt } from '../../parties/signer/local';
import { findSeed, replaceSeed, type WalletSeed } from '../../parties/signer/seed';
import type { Network } from '../networks/record';
import { HIGHEST_FLOOR } from './rules';
import { hasWallets, lockDerivation, nextIndex, raiseFloor } from './store';

/**
 * Derives all wallets to come from a mnemonic.
 * @throws Problem 400 naming `mnemonic`; 409 `invalid_transition` once wallets exist: their keys would be lost
 */
export async function importSeed(keyring: Keyring, tx: Tx, mnemonic: string): Promise<WalletSeed> {
  const seed = await replaceSeed(tx, keyring, mnemonic);
  // Asked under the seed's lock: who derived before it has committed, and who comes after it derives from this one.
  if (await hasWallets(tx))
    throw conflict('invalid_transition', 'Wallets are derived from a seed already: it cannot be replaced.');
  return seed;
}

/**
 * Derives no wallet of the kind below an index from now on. After a restore it keeps addresses from being given twice, because
 * the database does not know those that were derived after the backup.
 * @returns the index of the next wallet, before and after
 * @throws Problem 400 naming `index`; 409 `invalid_transition` naming it where it is below that of the next wallet
 */
export async function skipTo(
  tx: Tx,
  kind: Network['kind'],
  index: number,
): Promise<{ before: number; after: number }> {
  if (index > HIGHEST_FLOOR) throw invalid(`index must be at most ${HIGHEST_FLOOR}.`, 'index');
  await lockDerivation(tx, kind);
  const before = await nextIndex(tx, kind);
  if (index < before)
    throw conflict('invalid_transition', `The next wallet has index ${before} already.`, 'index');
  await raiseFloor(tx, kind, index);
  return { before, after: index };
}

/** The seed as it may be shown: none yet is made by the first wallet. */
export async function seedStatus(sql: Sql) {
  const seed = await findSeed(sql);
  return {
    exists: seed !== undefined,
    createdAt: seed?.createdAt.toISOString() ?? null,
    firstAddresses: seed ? { evm: addressAt(seed, 'evm', 0) } : null,
    inUse: await hasWallets(sql),
    nextIndex: { evm: await nextIndex(sql, 'evm') },
  };
}
