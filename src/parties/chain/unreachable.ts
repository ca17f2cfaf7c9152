import { ChainAway } from './errors';
import type { ChainNode } from './port';

/** A chain that is not asked by a machine (TRON): people execute what is ordered there. */
export function unreachableNode(chain: string): ChainNode {
  const away = () => Promise.reject(new ChainAway(chain));
  return {
    chainIds: () => Promise.resolve([]),
    head: away,
    block: away,
    agreedBlock: away,
    transfersTo: away,
    transaction: away,
    transactionOfEach: away,
    balance: away,
    balances: away,
    nonce: away,
    nextNonce: away,
    fees: away,
    estimateGas: away,
    call: away,
    code: away,
    decimals: away,
    broadcast: away,
  };
}
