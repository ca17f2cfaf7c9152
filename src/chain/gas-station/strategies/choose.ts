import type { NetworkNode } from '../../networks/nodes';
import type { NetworkAsset } from '../../networks/record';
import type { GasConfig } from '../config/record';
import { canDelegate } from './delegated';

type Setting = Pick<GasConfig, 'sweepStrategy' | 'stationAddress' | 'stationWalletId' | 'treasuryAddress'>;

/**
 * Who sends a sweep of that asset in place of the wallet: the station, where it was set so, its key is ours, and the chain is ready
 * for it. The native coin is always sent by the wallet, which has what gas costs. Whether a wallet may delegate is asked of the wallet
 * beside this (`mayDelegate`).
 * @returns null: the wallet sends
 * @throws ChainAway
 */
export async function stationSending(
  { node, network: { chainId } }: NetworkNode,
  { sweepStrategy, stationAddress: station, stationWalletId, treasuryAddress: treasury }: Setting,
  { contract }: Pick<NetworkAsset, 'contract'>,
): Promise<string | null> {
  if (sweepStrategy !== 'delegated' || contract === null) return null;
  if (station === null || stationWalletId === null || treasury === null) return null;
  return (await canDelegate(node, chainId, { treasury, station })) ? station : null;
}
