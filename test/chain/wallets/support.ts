import type { Sql } from '../../../src/kernel/db/database';

export interface TestNetwork {
  chain?: string;
  kind?: 'evm' | 'tron';
  chainId?: number | null;
  enabled?: boolean;
  assets?: { symbol: string; contract: string | null; decimals: number; minDeposit: string }[];
}

/** A row of a network whose nodes are asked nothing. */
export async function insertNetwork(sql: Sql, network: TestNetwork = {}): Promise<void> {
  const { chain = 'local', kind = 'evm', chainId = kind === 'evm' ? 31_337 : null, enabled = true } = network;
  const { assets = [{ symbol: 'USDT', contract: null, decimals: 6, minDeposit: '1' }] } = network;
  await sql.query(
    `insert into networks (chain, name, kind, chain_id, rpc_urls, confirmations, enabled, assets, version, created_at, updated_at)
     values ($1, $1, $2, $3, '', 2, $4, $5, 1, now(), now())`,
    [chain, kind, chainId, enabled, JSON.stringify(assets)],
  );
}
