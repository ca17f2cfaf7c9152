import { ActivityCancellationType, continueAsNew, workflowInfo } from '@temporalio/workflow';
import type { TransferActivities } from '../../activities/transfers';
import { PARTY_QUEUES } from '../../src/kernel/outbox/queues';
import { FOLLOWING, SLICES } from '../support/slices';
import { showTurn } from '../support/status';
import { steps } from '../support/steps';

const { watchChain } = steps<Pick<TransferActivities, 'watchChain'>>(
  {
    taskQueue: PARTY_QUEUES.chain,
    startToCloseTimeout: FOLLOWING,
    // A missing heartbeat shows that the worker has died.
    heartbeatTimeout: '30 seconds',
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: { initialInterval: '1 second', backoffCoefficient: 1.5, maximumInterval: '10 seconds' },
  },
  { watchChain: (chain) => `follow the blocks of ${chain} for four hours` },
);

/**
 * Follows the blocks of a chain (`chain-watcher-<chain>`) while its network is enabled. Its state is in Postgres, so it
 * may be ended at any time.
 */
export async function chainWatcher(chain: string): Promise<void> {
  for (let slice = 0; slice < SLICES && !workflowInfo().continueAsNewSuggested; slice += 1) {
    showTurn(`Follows the blocks of ${chain}.`);
    if (!(await watchChain(chain))) return showTurn(`${chain} is no longer to be followed.`);
  }
  await continueAsNew<typeof chainWatcher>(chain);
}
