import type { Tx } from '../../kernel/db/database';
import { conflict } from '../../kernel/errors';
import { SWEEPABLE, type Wallet } from './record';
import { clearSweep, findWalletById, updateWallets } from './store';

/** Whether the station may send a wallet's sweeps, for which the wallet delegates. */
export const mayDelegate = ({ boundTo }: Pick<Wallet, 'boundTo'>): boolean => boundTo !== 'native_coin';

/**
 * Reserves a wallet for a sweep until the sweep ends. The pool does not allocate it meanwhile, because a payer's money
 * could be swept, too.
 * @param delegates the station sends the sweep, so the wallet is bound to delegation for ever, even if the sweep fails
 * @throws Problem 409 `invalid_transition` naming `walletId` when it was allocated or disabled meanwhile
 */
export async function holdForSweep(
  tx: Tx,
  walletId: string,
  sweepId: string,
  { delegates }: { delegates: boolean },
): Promise<Wallet> {
  const wallet = await findWalletById(tx, walletId, { lock: 'update' });
  if (!wallet || !SWEEPABLE.includes(wallet.status))
    throw conflict('invalid_transition', `The wallet is ${wallet?.status ?? 'gone'}.`, 'walletId');
  if (delegates && !mayDelegate(wallet))
    throw conflict('invalid_transition', 'The wallet was allocated for the native coin.', 'walletId');
  await updateWallets(tx, [walletId], { sweepId, ...(delegates && { boundTo: 'delegation' }) });
  return wallet;
}

/** Ends the reservation: the pool may allocate the wallet again. */
export const endHold = (tx: Tx, walletId: string, sweepId: string): Promise<void> =>
  clearSweep(tx, walletId, sweepId);
