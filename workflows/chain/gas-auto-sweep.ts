import { proxyActivities } from '@temporalio/workflow';
import type { GasStationActivities } from '../../activities/gas-station';
import { STATION_QUEUE } from '../../src/kernel/outbox/queues';

/**
 * The next run repeats a failed activity. Attempts are limited, because the schedule starts no run before this one has
 * ended.
 */
const { orderAutoSweeps } = proxyActivities<Pick<GasStationActivities, 'orderAutoSweeps'>>({
  taskQueue: STATION_QUEUE,
  startToCloseTimeout: '5 minutes',
  retry: { initialInterval: '5 seconds', backoffCoefficient: 3, maximumAttempts: 3 },
});

/** Orders automatic sweeps every minute. One run makes up for missed ones. */
export async function gasAutoSweep(): Promise<void> {
  await orderAutoSweeps();
}
