import { proxyActivities } from '@temporalio/workflow';
import type { ExchangeActivities } from '../../activities/exchange';
import { PARTY_QUEUES } from '../../src/kernel/outbox/queues';

const { readSettlement } = proxyActivities<ExchangeActivities>({
  taskQueue: PARTY_QUEUES.exchange,
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '5 seconds', backoffCoefficient: 2, maximumInterval: '5 minutes' },
});

/** Every five minutes: what the exchange says that it holds of ours, beside our books. One run makes up for all that were missed. */
export async function settlementReading(): Promise<void> {
  await readSettlement();
}
