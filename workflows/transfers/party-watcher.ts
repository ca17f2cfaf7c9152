import { ActivityCancellationType, continueAsNew, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { TransferActivities } from '../../activities/transfers';
import { PARTY_QUEUES, type WatchedParty } from '../../src/kernel/outbox/queues';

/** Runs of the activity a history: a few hundred events, however much changes. */
const SLICES = 72;

/**
 * Follows what a party lists of what has changed (`party-watcher-<party>`), for ever, so that nothing depends on its
 * callbacks. Everything it knows is in Postgres; it may be ended at any time.
 */
export async function partyWatcher(party: WatchedParty): Promise<void> {
  const { watchParty } = proxyActivities<TransferActivities>({
    taskQueue: PARTY_QUEUES[party],
    // An attempt lasts ten minutes; a worker that died is noticed by its heartbeat.
    startToCloseTimeout: '12 minutes',
    heartbeatTimeout: '30 seconds',
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: { initialInterval: '1 second', backoffCoefficient: 1.5, maximumInterval: '10 seconds' },
  });
  for (let slice = 0; slice < SLICES && !workflowInfo().continueAsNewSuggested; slice += 1)
    await watchParty(party);
  await continueAsNew<typeof partyWatcher>(party);
}
