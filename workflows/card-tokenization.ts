import type { CardActivities } from '../activities/cards';
import { PARTY_QUEUES } from '../src/kernel/outbox/queues';
import { orderWorkflow } from './support/order';
import { askingParty } from './support/party-retries';
import { steps } from './support/steps';

const { tokenizeAtProcessor } = steps<Pick<CardActivities, 'tokenizeAtProcessor'>>(
  { ...askingParty, taskQueue: PARTY_QUEUES.cardProcessor },
  {
    tokenizeAtProcessor: (tokenizationId) =>
      `ask the card processor for ${tokenizationId}, a token of a digital wallet, or for the outcome`,
  },
);

/**
 * Asks the card processor to add a card to a digital wallet, until the processor has decided
 * (`card-tokenization-<tokenizationId>`).
 * @returns `completed` or `failed`
 */
export const cardTokenization = orderWorkflow({
  advance: tokenizeAtProcessor,
  status: 'pending',
  begins: 'Asking the card processor.',
  processing: 'The card processor has not decided yet.',
  unknown: 'The card processor gave no answer: it may have taken the request. Its outcome is asked for.',
});
