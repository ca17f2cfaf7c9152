import type { GasStationActivities } from '../../activities/gas-station';
import { STATION_QUEUE } from '../../src/kernel/outbox/queues';
import { showTurn } from '../support/status';
import { steps } from '../support/steps';

/**
 * The next run repeats a failed activity. Attempts are limited, because the schedule starts no run before this one has
 * ended.
 */
const { orderAutoSweeps } = steps<Pick<GasStationActivities, 'orderAutoSweeps'>>(
  {
    taskQueue: STATION_QUEUE,
    startToCloseTimeout: '5 minutes',
    retry: { initialInterval: '5 seconds', backoffCoefficient: 3, maximumAttempts: 3 },
  },
  { orderAutoSweeps: 'order sweeps, and the gas for them, on chains with automatic sweeping' },
);

/** Orders automatic sweeps when wallets may be swept. One run makes up for missed ones. */
export async function gasAutoSweep(): Promise<void> {
  showTurn(`${await orderAutoSweeps()} operations ordered.`);
}
