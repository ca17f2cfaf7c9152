import type { Sql } from '../../../../kernel/db/database';
import type { Services } from '../../../../services';
import { findWallet, findWalletById, findWallets } from '../../../wallets/operations';
import { SWEEPABLE } from '../../../wallets/record';
import type { GasConfig } from '../../config/record';
import type { GasOperation } from '../record';
import { senderOf } from '../rules';

/** Of sweeps those whose wallet may be swept still. */
export async function stillSweepable(sql: Sql, operations: readonly GasOperation[]): Promise<GasOperation[]> {
  const wallets = await findWallets(
    sql,
    operations.map(({ walletId }) => walletId),
  );
  const ids = new Set(wallets.filter(({ status }) => SWEEPABLE.includes(status)).map(({ id }) => id));
  return operations.filter(({ walletId }) => ids.has(walletId));
}

/**
 * Whether the service is no longer to do what was ordered: `autoSweep` was taken back, the treasury or the station is another one, a
 * wallet was disabled, or given to somebody, or is the station again. Asked until it is handed to the chain.
 */
export async function isStopped(
  { database }: Pick<Services, 'database'>,
  operation: GasOperation,
  { autoSweep, treasuryAddress, stationAddress }: GasConfig,
): Promise<boolean> {
  const { type, chain, walletId, toAddress, ofStation } = operation;
  if (!autoSweep) return true;
  const wallet = await findWalletById(database, walletId);
  if (!wallet || wallet.status === 'disabled') return true;
  if (type === 'sweep' && (toAddress !== treasuryAddress || !SWEEPABLE.includes(wallet.status))) return true;
  if (ofStation && wallet.address === stationAddress) return true;
  const sender = senderOf(operation);
  if (sender === wallet.address) return false;
  return sender !== stationAddress || (await findWallet(database, chain, sender))?.status === 'disabled';
}
