import { chainsToRead, keepChainReading } from '../src/chain/reconciliation/readings';
import type { Composed } from '../src/composition';

export interface ChainReadingActivities {
  /** Every enabled one. */
  chainsToCompare(): Promise<string[]>;
  /** Keeps what stands on a chain now; read twice, it is two readings of the same. */
  keepChainReading(chain: string): Promise<void>;
}

export function createChainReadingActivities(services: Composed): ChainReadingActivities {
  return {
    chainsToCompare: () => chainsToRead(services),
    keepChainReading: (chain) => keepChainReading(services, chain),
  };
}
