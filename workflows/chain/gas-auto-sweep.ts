import { proxyActivities } from '@temporalio/workflow';
import type { GasStationActivities } from '../../activities/gas-station';
import { askingParty } from '../support/party-retries';

const { orderAutoSweeps } = proxyActivities<Pick<GasStationActivities, 'orderAutoSweeps'>>({
  ...askingParty,
  startToCloseTimeout: '5 minutes',
});

/** Every minute: what is to be swept on chains whose station works by itself. One run makes up for all that were missed. */
export async function gasAutoSweep(): Promise<void> {
  await orderAutoSweeps();
}
