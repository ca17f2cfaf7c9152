import { proxyActivities } from '@temporalio/workflow';
import type { BankingActivities } from '../../activities/banking';
import { askingParty } from '../support/party-retries';
import { showStatus } from '../support/status';

const { bookIbanCredit } = proxyActivities<BankingActivities>(askingParty);

/** Books a payment that the bank has told us of (`iban-credit-<bank's id>`). @returns what became of it */
export async function ibanCredit(bankId: string): Promise<string> {
  showStatus('told', 'Asking the bank for the payment.');
  const outcome = await bookIbanCredit(bankId);
  showStatus(outcome);
  return outcome;
}
