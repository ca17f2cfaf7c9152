import { type ActivityOptions, patched } from '@temporalio/workflow';
import type { ChainReadingActivities } from '../../activities/chain-readings';
import { PARTY_QUEUES } from '../../src/kernel/outbox/queues';
import { localFirst } from '../support/local-first';
import { showTurn } from '../support/status';
import { type Summaries, steps } from '../support/steps';

/**
 * The next run reads a chain that failed. Attempts are limited, because the schedule starts no run before this one has
 * ended.
 */
const OPTIONS: ActivityOptions = {
  startToCloseTimeout: '3 minutes',
  retry: { initialInterval: '5 seconds', backoffCoefficient: 3, maximumAttempts: 3 },
};
const SUMMARIES: Summaries<ChainReadingActivities> = {
  chainsToCompare: 'list the chains to compare with the books',
  keepChainReading: (chain) => `compare ${chain} with the books`,
};
const asked = steps<ChainReadingActivities>({ ...OPTIONS, taskQueue: PARTY_QUEUES.chain }, SUMMARIES);
const askedFirst = localFirst<ChainReadingActivities>(PARTY_QUEUES.chain, SUMMARIES, OPTIONS);

/** Compares each chain with the books every five minutes. An unreachable chain does not stop the others. */
export async function chainReading(): Promise<void> {
  const { chainsToCompare, keepChainReading } = patched('reads-locally-first') ? askedFirst : asked;
  const chains = await chainsToCompare();
  const ended = await Promise.allSettled(chains.map((chain) => keepChainReading(chain)));
  const failed = chains.filter((_, place) => ended[place]?.status === 'rejected');
  showTurn(`Compared: ${chains.join(', ') || 'no chain'}. Out of reach: ${failed.join(', ') || 'none'}.`);
}
