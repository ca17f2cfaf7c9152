import { proxyActivities } from '@temporalio/workflow';
import type { ExchangeActivities } from '../../activities/exchange';
import { PARTY_QUEUES } from '../../src/kernel/outbox/queues';
import { askingParty } from '../support/party-retries';

const { readSettlement } = proxyActivities<ExchangeActivities>({
  ...askingParty,
  taskQueue: PARTY_QUEUES.exchange,
});

/**
 * Compares the balances that the exchange reports with our books. A schedule starts it every five minutes. While the
 * exchange is away, one run keeps asking, and the schedule starts no other.
 */
export async function settlementReading(): Promise<void> {
  await readSettlement();
}
