import type { ChainReadingActivities } from '../../activities/chain-readings';
import { PARTY_QUEUES } from '../../src/kernel/outbox/queues';
import { showTurn } from '../support/status';
import { steps } from '../support/steps';

/**
 * The next run reads a chain that failed. Attempts are limited, because the schedule starts no run before this one has
 * ended.
 */
const { chainsToCompare, keepChainReading } = steps<ChainReadingActivities>(
  {
    taskQueue: PARTY_QUEUES.chain,
    startToCloseTimeout: '3 minutes',
    retry: { initialInterval: '5 seconds', backoffCoefficient: 3, maximumAttempts: 3 },
  },
  {
    chainsToCompare: 'list the chains to compare with the books',
    keepChainReading: (chain) => `compare ${chain} with the books`,
  },
);

/** Compares each chain with the books every five minutes. An unreachable chain does not stop the others. */
export async function chainReading(): Promise<void> {
  const chains = await chainsToCompare();
  const ended = await Promise.allSettled(chains.map((chain) => keepChainReading(chain)));
  const failed = chains.filter((_, place) => ended[place]?.status === 'rejected');
  showTurn(`Compared: ${chains.join(', ') || 'no chain'}. Out of reach: ${failed.join(', ') || 'none'}.`);
}
