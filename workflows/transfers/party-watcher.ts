import { ActivityCancellationType, continueAsNew, workflowInfo } from '@temporalio/workflow';
import type { TransferActivities } from '../../activities/transfers';
import { PARTY_QUEUES, type WatchedParty } from '../../src/kernel/outbox/queues';
import { PARTY_WORDS } from '../../src/kernel/parties';
import { FOLLOWING, SLICES } from '../support/slices';
import { showTurn } from '../support/status';
import { steps } from '../support/steps';

/**
 * Follows a party's list of changes (`party-watcher-<party>`) and never ends, so that nothing depends on the party's
 * callbacks. It may be stopped at any time, because its state is in Postgres.
 */
export async function partyWatcher(party: WatchedParty): Promise<void> {
  const { watchParty } = steps<Pick<TransferActivities, 'watchParty'>>(
    {
      taskQueue: PARTY_QUEUES[party],
      startToCloseTimeout: FOLLOWING,
      // A missing heartbeat shows that the worker has died.
      heartbeatTimeout: '30 seconds',
      cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
      retry: { initialInterval: '1 second', backoffCoefficient: 1.5, maximumInterval: '10 seconds' },
    },
    { watchParty: `follow the list of changes of ${PARTY_WORDS[party]} for four hours` },
  );
  for (let slice = 0; slice < SLICES && !workflowInfo().continueAsNewSuggested; slice += 1) {
    showTurn(
      `Follows the list of changes of ${PARTY_WORDS[party]}, so that nothing depends on its callbacks.`,
    );
    await watchParty(party);
  }
  await continueAsNew<typeof partyWatcher>(party);
}
