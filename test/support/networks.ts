import type { Address } from 'viem';
import { type NetworkTerms, saveNetwork } from '../../src/chain/networks/operations';
import type { Network } from '../../src/chain/networks/record';
import { Decimal } from '../../src/kernel/money/money';
import type { Services } from '../../src/services';
import type { TestChain } from './chain';

export interface LocalNetwork {
  network: Network;
  /** The test USDT; the chain's payer has plenty of it. */
  token: Address;
}

/**
 * Makes the network of a test chain, `local` when no other name is given, enabled, with a test USDT (smallest deposit 1) and the
 * native ETH (0.001), final after 3 blocks.
 * @param options what is to be otherwise; `token`: one that is there already; `decimals` of the one that is made
 */
export async function withLocalNetwork(
  { services }: { services: Pick<Services, 'database' | 'keyring' | 'now'> },
  testChain: Pick<TestChain, 'chainId' | 'url' | 'token'>,
  {
    chain = 'local',
    token,
    decimals = 6,
    ...terms
  }: Partial<NetworkTerms> & { chain?: string; token?: Address; decimals?: number } = {},
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
    assets: [
      { symbol: 'USDT', contract, decimals, minDeposit: new Decimal(1) },
      { symbol: 'ETH', contract: null, decimals: 18, minDeposit: new Decimal('0.001') },
    ],
    ...terms,
  };
  const { after } = await services.database.transaction((tx) => saveNetwork(services, tx, chain, whole, 0));
  return { network: after, token: contract };
}
