import { proxyActivities } from '@temporalio/workflow';
import type { GasStationActivities } from '../../activities/gas-station';
import { STATION_QUEUE } from '../../src/kernel/outbox/queues';

/** A later run repeats a failed activity. The attempts have an end, because the schedule begins no other run before this one has ended. */
const { orderAutoSweeps } = proxyActivities<Pick<GasStationActivities, 'orderAutoSweeps'>>({
  taskQueue: STATION_QUEUE,
  startToCloseTimeout: '5 minutes',
  retry: { initialInterval: '5 seconds', backoffCoefficient: 3, maximumAttempts: 3 },
});

/** Every minute: what is to be swept on chains whose station works by itself. One run makes up for all that were missed. */
export async function gasAutoSweep(): Promise<void> {
  await orderAutoSweeps();
}
