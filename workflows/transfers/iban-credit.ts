import type { TransferActivities } from '../../activities/transfers';
import { PARTY_QUEUES } from '../../src/kernel/outbox/queues';
import { follow } from '../support/follow';
import { localFirst } from '../support/local-first';

const { lookAtIbanCredit } = localFirst<TransferActivities>(PARTY_QUEUES.bank);

/** Lines for the operator in Temporal's UI, by status. */
const WAITS: Record<string, string> = {
  received: 'Asking the bank for the payment.',
  suspended: 'The bank gives it back to its payer.',
};

/**
 * Books a payment that the bank has received, and its returns (`iban-credit-<bank's id>`).
 * @returns the credit's status
 */
export async function ibanCredit(bankId: string): Promise<string> {
  return follow(bankId, lookAtIbanCredit, WAITS);
}
