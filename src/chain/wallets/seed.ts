import type { Sql, Tx } from '../../kernel/db/database';
import { conflict } from '../../kernel/errors';
import type { Keyring } from '../../kernel/security/keyring';
import { addressAt } from '../../parties/signer/local';
import { findSeed, replaceSeed, type WalletSeed } from '../../parties/signer/seed';
import { hasWallets } from './store';

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

/** The seed as it may be shown: none yet is made by the first wallet. */
export async function seedStatus(sql: Sql) {
  const seed = await findSeed(sql);
  return {
    exists: seed !== undefined,
    createdAt: seed?.createdAt.toISOString() ?? null,
    firstAddresses: seed ? { evm: addressAt(seed, 'evm', 0), tron: addressAt(seed, 'tron', 0) } : null,
    inUse: await hasWallets(sql),
  };
}
