import type { Sql } from '../../../kernel/db/database';
import type { ChainFees, ChainNode } from '../../../parties/chain/port';
import type { Services } from '../../../services';
import { requireChainAnswer } from '../../networks/nodes/chain-answer';
import { nodeOf } from '../../networks/nodes/nodes';
import type { Network } from '../../networks/record';
import { attested, findWalletById } from '../../wallets/operations';
import { keptDust } from '../candidates/dust';
import type { KeptDust } from '../candidates/record';
import { requireGasConfig } from '../config/operations';
import type { GasConfig } from '../config/record';
import { type Spent, spentToday } from '../operations/budget';
import { countOpen } from '../operations/read';
import { delegateAddress, deploymentOf } from '../strategies/delegate';
import { canDelegate } from '../strategies/delegated';

export interface StationStatus {
  network: Network;
  config: GasConfig;
  /** Station's balance of the native coin. Null without a station. */
  balance: bigint | null;
  fees: ChainFees;
  /** Of the UTC day. */
  spent: Spent;
  open: { sweep: number; topup: number };
  /** Dust of the last reading. The status itself reads no wallets. */
  dust: KeptDust[];
  /** Null when the chain has no station or no treasury. */
  delegation: { contract: string; isReady: boolean; deployment: { to: string; data: string } } | null;
}

/** @throws Problem 404, 503 while the chain cannot be reached */
export async function readStatus(
  services: Pick<Services, 'database' | 'keyring' | 'parties' | 'now'>,
  sql: Sql,
  chain: string,
): Promise<StationStatus> {
  const { network, node } = await nodeOf(services, sql, chain);
  const config = await requireGasConfig(sql, network);
  await assertOwnStation(services, sql, config);
  const [spent, open] = [await spentToday(sql, chain, services.now()), await countOpen(sql, chain)];
  const dust = await keptDust(sql, chain);
  const read = await requireChainAnswer(readOf(node, network, config));
  return { network, config, spent, open, dust, ...read };
}

/**
 * Refuses a station that is said to be our wallet and is not, because people pay gas to the address.
 * @throws Problem 503
 */
async function assertOwnStation(
  services: Pick<Services, 'database' | 'keyring'>,
  sql: Sql,
  { stationWalletId: id, stationAddress: address }: GasConfig,
): Promise<void> {
  const wallet = id === null ? undefined : await findWalletById(sql, id);
  if (wallet) await attested(services, { ...wallet, address: address ?? wallet.address });
}

async function readOf(node: ChainNode, network: Network, config: GasConfig) {
  const { stationAddress } = config;
  const [balance, fees, delegation] = await Promise.all([
    stationAddress === null ? null : node.balance(stationAddress, null),
    node.fees(),
    delegationOf(node, network, config),
  ]);
  return { balance, fees, delegation };
}

async function delegationOf(
  node: ChainNode,
  { chainId }: Network,
  { stationAddress: station, treasuryAddress: treasury }: GasConfig,
): Promise<StationStatus['delegation']> {
  if (station === null || treasury === null) return null;
  const of = { treasury, station };
  const { to, data } = deploymentOf(of);
  const isReady = await canDelegate(node, chainId, of);
  return { contract: delegateAddress(of), isReady, deployment: { to, data } };
}
