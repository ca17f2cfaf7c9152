import type { NetworkNode } from '../../networks/nodes/nodes';
import type { NetworkAsset } from '../../networks/record';
import type { GasConfig } from '../config/record';
import { canDelegate } from './delegated';

type Setting = Pick<GasConfig, 'sweepStrategy' | 'stationAddress' | 'stationWalletId' | 'treasuryAddress'>;

/**
 * The station that sends a sweep in place of the wallet, when it is configured, its key is ours and the chain supports
 * it. The wallet always sends the native coin. Whether the wallet may delegate is a separate check (`mayDelegate`).
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
