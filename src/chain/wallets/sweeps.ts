import type { Tx } from '../../kernel/db/database';
import { conflict } from '../../kernel/errors';
import { SWEEPABLE } from './record';
import { clearSweep, findWalletById, updateWallets } from './store';

/**
 * Keeps a wallet for a sweep until that ends: it is given to no payer meanwhile, whose money would be swept with what stands on it.
 * @throws Problem 409 `invalid_transition` naming `walletId` where it was allocated or disabled meanwhile
 */
export async function holdForSweep(tx: Tx, walletId: string, sweepId: string): Promise<void> {
  const wallet = await findWalletById(tx, walletId, { lock: true });
  if (!wallet || !SWEEPABLE.includes(wallet.status))
    throw conflict('invalid_transition', `The wallet is ${wallet?.status ?? 'gone'}.`, 'walletId');
  await updateWallets(tx, [walletId], { sweepId });
}

/** The pool may give it to payers again. */
export const endHold = (tx: Tx, walletId: string, sweepId: string): Promise<void> =>
  clearSweep(tx, walletId, sweepId);
