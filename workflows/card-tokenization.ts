import { continueAsNew, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { CardActivities } from '../activities/cards';
import { PARTY_QUEUES } from '../src/kernel/outbox/queues';
import { listenForLooks } from './support/look-signal';
import { askAgainAfter, askingParty } from './support/party-retries';
import { showStatus } from './support/status';

const { tokenizeAtProcessor } = proxyActivities<CardActivities>({
  ...askingParty,
  taskQueue: PARTY_QUEUES.cardProcessor,
});

/**
 * Asks the card processor for a card in a wallet until it has decided (`card-tokenization-<tokenizationId>`).
 * @param asked how often it was asked before this run
 * @returns `completed` or `failed`
 */
export async function cardTokenization(tokenizationId: string, asked = 0): Promise<string> {
  const looks = listenForLooks();
  showStatus('pending', 'Asking the card processor.');
  let progress = await tokenizeAtProcessor(tokenizationId);
  while (progress === 'processing') {
    showStatus('pending', 'The card processor has not decided yet.');
    await looks.next(askAgainAfter(asked));
    asked += 1;
    if (workflowInfo().continueAsNewSuggested)
      await continueAsNew<typeof cardTokenization>(tokenizationId, asked);
    progress = await tokenizeAtProcessor(tokenizationId);
  }
  showStatus(progress);
  return progress;
}
