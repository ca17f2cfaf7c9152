import { chainsToCompare, readChain } from '../src/chain/reconciliation/readings';
import type { Composed } from '../src/composition';

export interface ChainActivities {
  chainsToCompare(): Promise<string[]>;
  /** Keeps what stands on a chain now; read twice, it is two readings of the same. */
  readChain(chain: string): Promise<void>;
}

export function createChainActivities(services: Composed): ChainActivities {
  return {
    chainsToCompare: () => chainsToCompare(services.database),
    readChain: (chain) => readChain(services, chain),
  };
}
