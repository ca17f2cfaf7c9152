import { continueAsNew, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { CardActivities } from '../activities/cards';
import { PARTY_QUEUES } from '../src/kernel/outbox/queues';
import { listenForLooks } from './support/look-signal';
import { askAgainAfter, askingParty } from './support/party-retries';
import { showStatus } from './support/status';

const { orderCard, checkOrder } = proxyActivities<CardActivities>({
  ...askingParty,
  taskQueue: PARTY_QUEUES.cardProcessor,
});

const OPEN = {
  processing: 'Ordered: the card processor has not decided yet.',
  unknown: 'The card processor gave no answer: it may have made the card. Its outcome is asked for.',
};

/**
 * Issues a card (`card-issuance-<cardId>`). The processor is asked until it has decided; a time-out is not a failure, and
 * only its own refusal fails the card. Orders carry the card's key, so that ordering again never makes a second card.
 * @param asked how often the outcome was asked for before this run
 * @returns the card's status, which is final for the issuance
 */
export async function cardIssuance(cardId: string, asked = 0): Promise<string> {
  const looks = listenForLooks();
  showStatus('pending', 'Ordering the card from the card processor.');
  let progress = await orderCard(cardId);
  while (progress === 'processing' || progress === 'unknown' || progress === 'not_found') {
    if (progress === 'not_found') {
      progress = await orderCard(cardId);
      continue;
    }
    showStatus('pending', OPEN[progress]);
    await looks.next(askAgainAfter(asked));
    asked += 1;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof cardIssuance>(cardId, asked);
    progress = await checkOrder(cardId);
  }
  showStatus(progress);
  return progress;
}
