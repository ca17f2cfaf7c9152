import type { TransferActivities } from '../../activities/transfers';
import { PARTY_QUEUES } from '../../src/kernel/outbox/queues';
import { follow } from '../support/follow';
import { localFirst } from '../support/local-first';

const { lookAtIbanCredit } = localFirst<TransferActivities>(PARTY_QUEUES.bank);

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
  return follow(bankId, lookAtIbanCredit, WAITS);
}
