import type { Sql } from '../../../kernel/db/database';
import type { ChainFees, ChainNode } from '../../../parties/chain/port';
import type { Services } from '../../../services';
import { askedOfChain } from '../../networks/asking';
import { nodeOf } from '../../networks/nodes';
import type { Network } from '../../networks/record';
import { requireGasConfig } from '../config/operations';
import type { GasConfig } from '../config/record';
import { type Spent, spentToday } from '../operations/budget';
import { countOpen } from '../operations/store';

export interface StationStatus {
  network: Network;
  config: GasConfig;
  /** What the station has of the native coin; null without one. */
  balance: bigint | null;
  fees: ChainFees;
  /** Of the UTC day. */
  spent: Spent;
  open: { sweep: number; topup: number };
}

/** @throws Problem 404, 503 while the chain cannot be reached */
export async function readStatus(
  services: Pick<Services, 'keyring' | 'parties' | 'now'>,
  sql: Sql,
  chain: string,
): Promise<StationStatus> {
  const { network, node } = await nodeOf(services, sql, chain);
  const config = await requireGasConfig(sql, network);
  const [spent, open] = [await spentToday(sql, chain, services.now()), await countOpen(sql, chain)];
  return { network, config, spent, open, ...(await askedOfChain(readOf(node, config))) };
}

async function readOf(node: ChainNode, { stationAddress }: GasConfig) {
  const [balance, fees] = await Promise.all([
    stationAddress === null ? null : node.balance(stationAddress, null),
    node.fees(),
  ]);
  return { balance, fees };
}
