import type { TransferActivities } from '../../activities/transfers';
import { PARTY_QUEUES } from '../../src/kernel/outbox/queues';
import { WAITS } from '../../src/transfers/waits';
import { follow } from '../support/follow';
import { localFirst } from '../support/local-first';

const { lookAtIbanCredit } = localFirst<Pick<TransferActivities, 'lookAtIbanCredit'>>(PARTY_QUEUES.bank, {
  lookAtIbanCredit: (bankId) => `ask the bank about the payment ${bankId}`,
});

/**
 * Books a payment that the bank has received, and its returns (`iban-credit-<bank's id>`).
 * @returns the credit's status
 */
export async function ibanCredit(bankId: string): Promise<string> {
  return follow(bankId, lookAtIbanCredit, WAITS.ibanCredit);
}
