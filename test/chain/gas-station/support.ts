import type { Address } from 'viem';
import { type Client, type TestApi, type TestWiring, testApi } from '../../support/api';
import { startTestChain, type TestChain, type TestChainOptions } from '../../support/chain';
import { withLocalNetwork } from '../../support/networks';

export interface GasWorld {
  api: TestApi;
  chain: TestChain;
  token: Address;
  admin: Client;
  /** A new pool wallet. */
  wallet(): Promise<{ id: string; address: string }>;
  /** Sets the configuration of `local`, whatever version it has. */
  configure(terms?: Record<string, unknown>): Promise<void>;
  close(): Promise<void>;
}

/** Anvil's second account, which is no wallet of the pool. */
export const TREASURY = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

export const TERMS = {
  gasThreshold: '0.001',
  gasTopupAmount: '0.01',
  minSweepAmount: { USDT: '5' },
  treasuryAddress: TREASURY,
  sweepConfirmations: 2,
  autoSweep: false,
  maxGasPrice: null,
  dailyGasBudget: null,
  sweepStrategy: null,
};

export interface GasWorldOptions extends TestChainOptions {
  /**
   * A node that is asked first.
   * @param url of the real node
   */
  before?: (url: string) => Promise<string>;
  wiring?: TestWiring;
}

/** The API with a network `local` on a real node. */
export async function gasWorld({ before, wiring, ...options }: GasWorldOptions = {}): Promise<GasWorld> {
  const [api, chain] = await Promise.all([testApi(wiring), startTestChain(options)]);
  const rpcUrls = [...(before ? [await before(chain.url)] : []), `${chain.url}/`];
  const { token } = await withLocalNetwork(api, chain, { rpcUrls });
  const admin = await api.client('admin');
  return {
    api,
    chain,
    token,
    admin,
    async wallet() {
      const { body } = await admin.call('POST', '/v1/gas-station/generate', { chain: 'local', count: 1 });
      return body.data[0];
    },
    async configure(terms = {}) {
      const path = '/v1/gas-station/config/local';
      const { version } = (await admin.call('GET', path)).body;
      const { status, text } = await admin.call('PUT', path, { ...TERMS, ...terms, version });
      if (status !== 200) throw new Error(text);
    },
    async close() {
      await api.close();
      await chain.stop();
    },
  };
}
