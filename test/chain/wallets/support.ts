import type { Sql } from '../../../src/kernel/db/database';
import { type Client, testApi } from '../../support/api';
import { masterAccount } from '../../support/cards';

export interface TestNetwork {
  chain?: string;
  chainId?: number;
  enabled?: boolean;
  assets?: { symbol: string; contract: string | null; decimals: number; minDeposit: string }[];
}

/** Inserts a network whose nodes are never asked. */
export async function insertNetwork(sql: Sql, network: TestNetwork = {}): Promise<void> {
  const { chain = 'local', chainId = 31_337, enabled = true } = network;
  const { assets = [{ symbol: 'USDT', contract: null, decimals: 6, minDeposit: '1' }] } = network;
  await sql.query(
    `insert into networks (chain, name, kind, chain_id, rpc_urls, confirmations, enabled, assets, version, created_at, updated_at)
     values ($1, $1, 'evm', $2, '', 2, $3, $4, 1, now(), now())`,
    [chain, chainId, enabled, JSON.stringify(assets)],
  );
}

const NOON = new Date('2026-03-01T12:00:00.000Z');

export type AllocatingWorld = Awaited<ReturnType<typeof allocatingWorld>>;

/** The API with its own clock and three networks whose nodes are never asked. Each test has a client of its own. */
export async function allocatingWorld() {
  const clock = { at: NOON };
  const api = await testApi({ now: () => clock.at });
  await insertNetwork(api.database);
  await insertNetwork(api.database, { chain: 'other', chainId: 5 });
  await insertNetwork(api.database, { chain: 'off', chainId: 6, enabled: false });
  return {
    api,
    clock,
    later(ms: number) {
      clock.at = new Date(clock.at.getTime() + ms);
    },
    /** Another client and its account, at noon. */
    async anew() {
      const client = await api.client();
      clock.at = NOON;
      return { client, accountId: await masterAccount(client) };
    },
  };
}

/** Wallet requests of a client, by default the present one and its account, each with a new reference. */
export function allocationCalls(present: () => { client: Client; accountId: string }) {
  let references = 0;
  return {
    terms: (given: Record<string, unknown> = {}) => ({
      chain: 'local',
      asset: 'USDT',
      accountId: present().accountId,
      reference: `order-${references++}`,
      ...given,
    }),
    allocate: (body: object, by = present().client) => by.call('POST', '/v1/wallets/allocate', body),
    release: (body: object, by = present().client) => by.call('POST', '/v1/wallets/release', body),
  };
}
