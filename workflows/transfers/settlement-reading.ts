import type { ExchangeActivities } from '../../activities/exchange';
import { PARTY_QUEUES } from '../../src/kernel/outbox/queues';
import { askingParty } from '../support/party-retries';
import { showTurn } from '../support/status';
import { steps } from '../support/steps';

const { readSettlement } = steps<ExchangeActivities>(
  { ...askingParty, taskQueue: PARTY_QUEUES.exchange },
  { readSettlement: 'compare the balances at the exchange with the books' },
);

/**
 * Compares the balances that the exchange reports with our books. A schedule starts it every five minutes. While the
 * exchange is away, one run keeps asking, and the schedule starts no other.
 */
export async function settlementReading(): Promise<void> {
  await readSettlement();
  showTurn('The balances at the exchange are compared with the books.');
}
