import { continueAsNew, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { CardActivities } from '../activities/cards';
import { PARTY_QUEUES } from '../src/kernel/outbox/queues';
import { listenForLooks } from './support/look-signal';
import { askAgainAfter, askingParty } from './support/party-retries';
import { showStatus } from './support/status';

const { closeAtProcessor } = proxyActivities<CardActivities>({
  ...askingParty,
  taskQueue: PARTY_QUEUES.cardProcessor,
});

/**
 * Tells the card processor of a card that is closed, until it confirms (`card-closure-<cardId>`). For its holder the card
 * is closed already.
 * @param asked how often it was told before this run
 */
export async function cardClosure(cardId: string, asked = 0): Promise<string> {
  const looks = listenForLooks();
  showStatus('closed', 'Telling the card processor.');
  let progress = await closeAtProcessor(cardId);
  while (progress === 'processing') {
    showStatus('closed', 'The card processor has taken the closure and not confirmed it yet.');
    await looks.next(askAgainAfter(asked));
    asked += 1;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof cardClosure>(cardId, asked);
    progress = await closeAtProcessor(cardId);
  }
  showStatus(
    'closed',
    progress === 'confirmed' ? 'Confirmed by the card processor.' : 'There is nothing to close.',
  );
  return progress;
}
