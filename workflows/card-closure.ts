import type { CardActivities } from '../activities/cards';
import { PARTY_QUEUES } from '../src/kernel/outbox/queues';
import { orderWorkflow } from './support/order';
import { askingParty } from './support/party-retries';
import { steps } from './support/steps';

const { closeAtProcessor } = steps<Pick<CardActivities, 'closeAtProcessor'>>(
  { ...askingParty, taskQueue: PARTY_QUEUES.cardProcessor },
  { closeAtProcessor: (cardId) => `tell the card processor to close ${cardId}, or ask for the outcome` },
);

/**
 * Asks the card processor to close a card until the processor confirms (`card-closure-<cardId>`). The cardholder
 * already sees the card as closed.
 * @returns `confirmed`, or `open` if there is nothing to close
 */
export const cardClosure = orderWorkflow({
  advance: closeAtProcessor,
  status: 'closed',
  begins: 'Telling the card processor.',
  processing: 'The card processor has taken the closure and not confirmed it yet.',
  unknown: 'The card processor gave no answer: it may have taken the closure. Its outcome is asked for.',
  ends: (progress) => ({
    status: 'closed',
    details: progress === 'confirmed' ? 'Confirmed by the card processor.' : 'There is nothing to close.',
  }),
});
