import { continueAsNew, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { BankingActivities } from '../../activities/banking';
import { askingParty } from '../support/party-retries';

const { catchUpIbanCredits } = proxyActivities<BankingActivities>(askingParty);

/** Once a minute: books what the bank has received and no callback has told of. */
export async function ibanCreditCatchUp(): Promise<void> {
  while ((await catchUpIbanCredits()).more) {
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof ibanCreditCatchUp>();
  }
}
