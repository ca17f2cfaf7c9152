import { proxyActivities } from '@temporalio/workflow';
import type { ChainReadingActivities } from '../../activities/chain-readings';
import { PARTY_QUEUES } from '../../src/kernel/outbox/queues';

/**
 * The next run reads a chain that failed. Attempts are limited, because the schedule starts no run before this one has
 * ended.
 */
const { chainsToCompare, keepChainReading } = proxyActivities<ChainReadingActivities>({
  taskQueue: PARTY_QUEUES.chain,
  startToCloseTimeout: '3 minutes',
  retry: { initialInterval: '5 seconds', backoffCoefficient: 3, maximumAttempts: 3 },
});

/** Compares each chain with the books every five minutes. An unreachable chain does not stop the others. */
export async function chainReading(): Promise<void> {
  const chains = await chainsToCompare();
  await Promise.allSettled(chains.map((chain) => keepChainReading(chain)));
}
