import { proxyActivities } from '@temporalio/workflow';
import type { GasStationActivities } from '../../activities/gas-station';
import { askingParty } from '../support/party-retries';

const { orderAutoSweeps, scanStations } = proxyActivities<
  Pick<GasStationActivities, 'orderAutoSweeps' | 'scanStations'>
>({
  ...askingParty,
  startToCloseTimeout: '5 minutes',
});

/** Every minute: what has come to stations, and what is to be swept on chains whose station works by itself. One run makes up for all that were missed. */
export async function gasAutoSweep(): Promise<void> {
  // Neither waits for the other, nor fails with it.
  const ended = await Promise.allSettled([scanStations(), orderAutoSweeps()]);
  for (const each of ended) if (each.status === 'rejected') throw each.reason;
}
