import { patched, proxyActivities } from '@temporalio/workflow';
import type { TransferActivities } from '../../activities/transfers';
import { PARTY_QUEUES } from '../../src/kernel/outbox/queues';
import { follow } from '../support/follow';
import { localFirst } from '../support/local-first';
import { askingParty } from '../support/party-retries';
import { showStatus } from '../support/status';

const { lookAtIbanCredit } = localFirst<TransferActivities>(PARTY_QUEUES.bank);
const { bookIbanCredit } = proxyActivities<TransferActivities>(askingParty);

/** What it waits for, as the operator reads it. */
const WAITS: Record<string, string> = {
  received: 'Asking the bank for the payment.',
  suspended: 'The bank gives it back to its payer.',
};

/**
 * Books a payment that the bank has received (`iban-credit-<bank's id>`), and what of it goes back.
 * @returns what has become of it
 */
export async function ibanCredit(bankId: string): Promise<string> {
  return patched('transfer-engine') ? follow(bankId, lookAtIbanCredit, WAITS) : beforeTheEngine(bankId);
}

/** Replayed as it was. */
async function beforeTheEngine(bankId: string): Promise<string> {
  showStatus('told', 'Asking the bank for the payment.');
  const outcome = await bookIbanCredit(bankId);
  showStatus(outcome);
  return outcome;
}
