import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Address } from 'viem';
import { type NetworkTerms, saveNetwork } from '../../src/chain/networks/operations';
import type { Network } from '../../src/chain/networks/record';
import { Decimal } from '../../src/kernel/money/money';
import type { Services } from '../../src/services';
import type { TestChain } from './chain';

export interface LocalNetwork {
  network: Network;
  /** The test USDT. The chain's payer has plenty of it. */
  token: Address;
}

/**
 * Creates an enabled network for a test chain, `local` by default. It has a test USDT (smallest deposit 1) and native
 * ETH (0.001), and is final after 3 blocks.
 * @param options differing values; `coin`: symbol of the native coin; `token`: an existing token; `decimals` of a new one
 */
export async function withLocalNetwork(
  { services }: { services: Pick<Services, 'database' | 'keyring' | 'now'> },
  testChain: Pick<TestChain, 'chainId' | 'url' | 'token'>,
  {
    chain = 'local',
    token,
    decimals = 6,
    coin = 'ETH',
    ...terms
  }: Partial<NetworkTerms> & { chain?: string; token?: Address; decimals?: number; coin?: string } = {},
): Promise<LocalNetwork> {
  const contract = token ?? (await testChain.token({ decimals }));
  const whole: NetworkTerms = {
    name: 'Local chain',
    kind: 'evm',
    chainId: testChain.chainId,
    rpcUrls: [`${testChain.url}/`],
    explorerUrl: null,
    confirmations: 3,
    enabled: true,
    finality: 'confirmations',
    requestsPerSecond: null,
    feeModel: 'evm',
    assets: [
      { symbol: 'USDT', contract, decimals, minDeposit: new Decimal(1) },
      { symbol: coin, contract: null, decimals: 18, minDeposit: new Decimal('0.001') },
    ],
    ...terms,
  };
  const { after } = await services.database.transaction((tx) => saveNetwork(services, tx, chain, whole, 0));
  return { network: after, token: contract };
}

/**
 * Returns addresses of a real node that report another chain id, because a chain has one network and a test needs
 * several.
 */
export async function chainDoor(url: string) {
  async function answerTo(request: IncomingMessage): Promise<string> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts).toString();
    const { id, method } = JSON.parse(body) as { id?: number; method?: string };
    const result = `0x${Number(request.url?.slice(1)).toString(16)}`;
    if (method === 'eth_chainId') return JSON.stringify({ jsonrpc: '2.0', id, result });
    const headers = { 'content-type': 'application/json' };
    return (await fetch(url, { method: 'POST', headers, body })).text();
  }
  const server = createServer((request, response) => {
    void answerTo(request).then((answer) => response.end(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    as: (chainId: number) => `http://127.0.0.1:${port}/${chainId}`,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
