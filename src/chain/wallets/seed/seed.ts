import type { Sql, Tx } from '../../../kernel/db/database';
import { conflict, invalid } from '../../../kernel/errors';
import type { Keyring } from '../../../kernel/security/keyring';
import { fingerprintOf } from '../../../parties/signer/fingerprint';
import { addressAt } from '../../../parties/signer/local';
import { findSeed, replaceSeed, type SeedKeys, type WalletSeed } from '../../../parties/signer/seed';
import type { Network } from '../../networks/record';
import { HIGHEST_FLOOR } from '../rules';
import { hasWallets, lockDerivation, nextIndex, raiseFloor } from '../store';

/**
 * Sets the mnemonic from which all wallets are derived.
 * @throws Problem 400 naming `mnemonic`; 409 `invalid_transition` once wallets exist, because their keys would be lost
 */
export async function importSeed(keys: SeedKeys, tx: Tx, mnemonic: string): Promise<WalletSeed> {
  const seed = await replaceSeed(tx, keys, mnemonic);
  // Asked under the seed's lock, so a wallet that was derived from the earlier seed is committed and visible here.
  if (await hasWallets(tx))
    throw conflict(
      'invalid_transition',
      'Wallets are already derived from a seed, so it cannot be replaced.',
    );
  return seed;
}

/**
 * Derives no wallet of the kind below an index from now on. After a restore, the database has lost the wallets derived
 * after its backup; the floor keeps their addresses from being given twice.
 * @returns the index of the next wallet, before and after
 * @throws Problem 400 naming `index`; 409 `invalid_transition` naming `index` when it is below the next wallet's
 */
export async function skipTo(
  tx: Tx,
  kind: Network['kind'],
  index: number,
): Promise<{ before: number; after: number }> {
  await lockDerivation(tx, kind);
  const before = await nextIndex(tx, kind);
  assertFloor(before, index);
  await raiseFloor(tx, kind, index);
  return { before, after: index };
}

/**
 * Skips indexes, because wallets that were derived from them may be lost while payers have their addresses. Does nothing at the
 * highest index.
 */
export const skipLost = async (tx: Tx, kind: Network['kind'], count: number): Promise<void> =>
  void (await skip(tx, kind, (next) => Math.min(next + count, HIGHEST_FLOOR)));

/**
 * Derives no wallet of the kind below an index from now on, because earlier payers may have those addresses. Does nothing where the next
 * wallet is above it.
 * @returns the index of the next wallet
 */
export const skipRecovered = (tx: Tx, kind: Network['kind'], index: number): Promise<number> =>
  skip(tx, kind, () => index);

/** @param wanted the next index, of the present one @returns the index of the next wallet, which is never a lower one */
async function skip(tx: Tx, kind: Network['kind'], wanted: (next: number) => number): Promise<number> {
  await lockDerivation(tx, kind);
  const before = await nextIndex(tx, kind);
  const after = Math.max(before, wanted(before));
  if (after > before) await raiseFloor(tx, kind, after);
  return after;
}

/** @param next the index of the next wallet @throws Problem as {@link skipTo} */
export function assertFloor(next: number, index: number): void {
  if (index > HIGHEST_FLOOR) throw invalid(`index must be at most ${HIGHEST_FLOOR}.`, 'index');
  if (index >= next) return;
  const message = `index must be at least ${next}, the index of the next wallet.`;
  throw conflict('invalid_transition', message, 'index');
}

/** The state of the seed without secrets. The signing process makes the seed at its first start. */
export async function seedStatus(sql: Sql, keyring: Keyring) {
  const seed = await findSeed(sql, keyring);
  return {
    exists: seed !== undefined,
    createdAt: seed?.createdAt.toISOString() ?? null,
    fingerprint: seed ? fingerprintOf(seed.publicKeys) : null,
    firstAddresses: seed ? { evm: addressAt(seed, 'evm', 0) } : null,
    inUse: await hasWallets(sql),
    nextIndex: { evm: await nextIndex(sql, 'evm') },
  };
}
