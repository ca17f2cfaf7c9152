import { patched } from '@temporalio/workflow';
import type { ExchangeActivities } from '../../activities/exchange';
import { PARTY_QUEUES } from '../../src/kernel/outbox/queues';
import { localFirst } from '../support/local-first';
import { askingParty } from '../support/party-retries';
import { showTurn } from '../support/status';
import { steps } from '../support/steps';

const SUMMARIES = { readSettlement: 'compare the balances at the exchange with the books' };
const asked = steps<ExchangeActivities>({ ...askingParty, taskQueue: PARTY_QUEUES.exchange }, SUMMARIES);
const askedFirst = localFirst<ExchangeActivities>(PARTY_QUEUES.exchange, SUMMARIES, askingParty);

/**
 * Compares the balances that the exchange reports with our books. A schedule starts it every five minutes. While the
 * exchange is away, one run keeps asking, and the schedule starts no other.
 */
export async function settlementReading(): Promise<void> {
  const { readSettlement } = patched('reads-locally-first') ? askedFirst : asked;
  await readSettlement();
  showTurn('The balances at the exchange are compared with the books.');
}
