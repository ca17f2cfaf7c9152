import { continueAsNew, patched, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { TransferActivities } from '../../activities/transfers';
import { askingParty } from '../support/party-retries';

const { catchUpIbanCredits } = proxyActivities<TransferActivities>(askingParty);

/** Ended: the bank's watcher finds what no callback has told of. Runs of earlier releases are replayed as they were. */
export async function ibanCreditCatchUp(): Promise<void> {
  if (patched('transfer-engine')) return;
  while ((await catchUpIbanCredits()).more) {
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof ibanCreditCatchUp>();
  }
}
