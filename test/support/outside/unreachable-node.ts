import { ChainAway } from '../../../src/parties/chain/errors';
import type { ChainNode } from '../../../src/parties/chain/port';

/** A node that answers nothing; a test's double says what it has to say in place of these. */
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
    unshownOfEach: away,
    nonce: away,
    noncesOf: away,
    fees: away,
    estimateGas: away,
    call: away,
    code: away,
    decimals: away,
    broadcast: away,
  };
}
