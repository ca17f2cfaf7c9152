import type { Sql, Tx } from '../../../../kernel/db/database';
import type { Network } from '../../../networks/record';
import { findWallet, findWalletById, findWallets, lockWallets } from '../../../wallets/operations';
import { SWEEPABLE } from '../../../wallets/record';
import { lockGasConfig } from '../../config/operations';
import type { GasConfig } from '../../config/record';
import { awaitsTreasury } from '../../config/treasury';
import type { GasOperation } from '../record';
import { senderOf } from '../rules';
import { membersOf } from '../store';

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
 * Whether the service is no longer to do what was ordered: `autoSweep` was taken back, the treasury or the station is another one or is
 * about to be, a
 * wallet was disabled, or given to somebody, or is the station again. Asked until it is handed to the chain.
 */
export async function isStopped(sql: Sql, operation: GasOperation, config: GasConfig): Promise<boolean> {
  const { type, chain, walletId, toAddress, ofStation } = operation;
  const { autoSweep, treasuryAddress, stationAddress } = config;
  if (!autoSweep || (type === 'sweep' && awaitsTreasury(config))) return true;
  const wallet = await findWalletById(sql, walletId);
  if (!wallet || wallet.status === 'disabled') return true;
  if (type === 'sweep' && (toAddress !== treasuryAddress || !SWEEPABLE.includes(wallet.status))) return true;
  if (ofStation && wallet.address === stationAddress) return true;
  const sender = senderOf(operation);
  if (sender === wallet.address) return false;
  return sender !== stationAddress || (await findWallet(sql, chain, sender))?.status === 'disabled';
}

/**
 * The same as it is about to be handed over, of all its batch: whoever changes the configuration, or a wallet, is answered before this,
 * and it is stopped, or after it was kept that it is handed over. The caller holds the operation's lock.
 */
export async function isStoppedNow(tx: Tx, network: Network, operation: GasOperation): Promise<boolean> {
  const members = await membersOf(tx, operation.id);
  const sender = await findWallet(tx, operation.chain, senderOf(operation));
  const swept = [operation, ...members].map(({ walletId }) => walletId);
  await lockWallets(tx, sender ? [...swept, sender.id] : swept);
  const config = await lockGasConfig(tx, network);
  if (await isStopped(tx, operation, config)) return true;
  return (await stillSweepable(tx, members)).length < members.length;
}
