import { ChainAway } from '../../../src/parties/chain/errors';
import type { ChainNode } from '../../../src/parties/chain/port';

/** Returns a node whose calls all fail. A test replaces the calls that it needs. */
export function unreachableNode(chain: string): ChainNode {
  const away = () => Promise.reject(new ChainAway(chain));
  return {
    chainIds: () => Promise.resolve([]),
    head: away,
    block: away,
    agreedBlock: away,
    look: away,
    taggedHeight: away,
    transfersTo: away,
    transaction: away,
    transactionOfEach: away,
    balance: away,
    balances: away,
    unshownOfEach: away,
    nonce: away,
    noncesOf: away,
    fees: away,
    estimateGas: away,
    feeModel: away,
    dataCost: away,
    call: away,
    code: away,
    decimals: away,
    broadcast: away,
  };
}
