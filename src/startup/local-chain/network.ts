import { releaseNoncesOf } from '../../chain/gas-station/operations/nonces/vanished';
import { scanAgain } from '../../chain/gas-station/station-topups/seen';
import { forgetArrivals } from '../../chain/holdings/operations';
import { beginReading, forgetReadPosition } from '../../chain/holdings/read-position';
import {
  findOpened,
  isReachedAlike,
  type NetworkTerms,
  type OpenedNetwork,
  saveNetwork,
  termsOf,
} from '../../chain/networks/operations';
import { NATIVE_DECIMALS } from '../../chain/networks/rules';
import { Decimal } from '../../kernel/money/money';
import type { Services } from '../../services';
import { LOCAL_CHAIN_ID } from '../embedded/chain/server';
import { ensureTestUsdt, newestBlock, TEST_USDT, TEST_USDT_DECIMALS } from '../embedded/chain/token';

/** Chain name of the local chain. */
export const LOCAL_CHAIN = 'local';

const usdt = (minDeposit: Decimal) => ({
  symbol: 'USDT',
  contract: TEST_USDT,
  decimals: TEST_USDT_DECIMALS,
  minDeposit,
});

/** Terms of the network at the first start. */
const firstTerms = (url: string): NetworkTerms => ({
  name: 'Local chain',
  kind: 'evm',
  chainId: LOCAL_CHAIN_ID,
  rpcUrls: [url],
  explorerUrl: null,
  confirmations: 3,
  enabled: true,
  finality: 'confirmations',
  requestsPerSecond: null,
  feeModel: 'evm',
  assets: [
    usdt(new Decimal(1)),
    { symbol: 'ETH', contract: null, decimals: NATIVE_DECIMALS.evm, minDeposit: new Decimal('0.001') },
  ],
});

/**
 * Deploys the test USDT and configures the network `local`. Settings of an admin are kept, except for the addresses of
 * node and token.
 */
export async function ensureLocalNetwork(
  services: Pick<Services, 'database' | 'keyring' | 'now' | 'log'>,
  nodeUrl: string,
): Promise<void> {
  const url = new URL(nodeUrl).href;
  const isNewChain = await ensureTestUsdt(url);
  const head = await newestBlock(url);
  const wasThere = await services.database.transaction(async (tx) => {
    const before = await findOpened(services, tx, LOCAL_CHAIN, { lock: 'update' });
    const terms = before ? movedTo(before, url) : firstTerms(url);
    if (!before || !isReachedAlike(termsOf(before), terms))
      await saveNetwork(services, tx, LOCAL_CHAIN, terms, before?.network.version ?? 0);
    if (isNewChain) {
      await forgetReadPosition(tx, LOCAL_CHAIN);
      await forgetArrivals(tx, LOCAL_CHAIN, -1);
      await scanAgain(tx, LOCAL_CHAIN, head.number);
      await releaseNoncesOf(tx, LOCAL_CHAIN, services.now());
    }
    // Deposits that are paid before a watcher runs are found as well.
    await beginReading(tx, LOCAL_CHAIN, head, services.now());
    return before !== undefined;
  });
  if (isNewChain && wasThere)
    services.log.warn(
      'a new local chain has started with a new test USDT; deposits on the previous chain remain in the books only',
    );
}

function movedTo({ network }: OpenedNetwork, url: string): NetworkTerms {
  const assets = network.assets.map((asset) => (asset.symbol === 'USDT' ? usdt(asset.minDeposit) : asset));
  return { ...network, rpcUrls: [url], assets };
}
