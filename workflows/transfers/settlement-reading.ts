import { proxyActivities } from '@temporalio/workflow';
import type { ExchangeActivities } from '../../activities/exchange';
import { PARTY_QUEUES } from '../../src/kernel/outbox/queues';
import { askingParty } from '../support/party-retries';

const { readSettlement } = proxyActivities<ExchangeActivities>({
  ...askingParty,
  taskQueue: PARTY_QUEUES.exchange,
});

/**
 * Every five minutes: what the exchange says that it holds of ours, beside our books. One run makes up for all that were
 * missed: while the exchange is away it asks on, and the schedule begins no other.
 */
export async function settlementReading(): Promise<void> {
  await readSettlement();
}
