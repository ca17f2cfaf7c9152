import { proxyActivities } from '@temporalio/workflow';
import type { ChainReadingActivities } from '../../activities/chain-readings';
import { PARTY_QUEUES } from '../../src/kernel/outbox/queues';

/** One that cannot be read is read by the next run: the schedule begins no other before this one has ended. */
const { chainsToCompare, keepChainReading } = proxyActivities<ChainReadingActivities>({
  taskQueue: PARTY_QUEUES.chain,
  startToCloseTimeout: '3 minutes',
  retry: { initialInterval: '5 seconds', backoffCoefficient: 3, maximumAttempts: 3 },
});

/** Every five minutes: what stands on each chain, beside our books. A chain that cannot be reached keeps no other from its reading. */
export async function chainReading(): Promise<void> {
  const chains = await chainsToCompare();
  await Promise.allSettled(chains.map((chain) => keepChainReading(chain)));
}
