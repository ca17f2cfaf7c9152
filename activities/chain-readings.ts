import { chainsToRead, keepChainReading } from '../src/chain/reconciliation/readings';
import type { Composed } from '../src/composition';

export interface ChainReadingActivities {
  /** Lists the enabled chains. */
  chainsToCompare(): Promise<string[]>;
  /** Compares a chain with the books and stores the reading. A repeated call stores a second reading. */
  keepChainReading(chain: string): Promise<void>;
}

export function createChainReadingActivities(services: Composed): ChainReadingActivities {
  return {
    chainsToCompare: () => chainsToRead(services),
    keepChainReading: (chain) => keepChainReading(services, chain),
  };
}
