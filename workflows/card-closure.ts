import { proxyActivities } from '@temporalio/workflow';
import type { CardActivities } from '../activities/cards';
import { PARTY_QUEUES } from '../src/kernel/outbox/queues';
import { orderWorkflow } from './support/order';
import { askingParty } from './support/party-retries';

const { closeAtProcessor } = proxyActivities<CardActivities>({
  ...askingParty,
  taskQueue: PARTY_QUEUES.cardProcessor,
});

/**
 * Tells the card processor of a card that is closed, until it confirms (`card-closure-<cardId>`). For its holder the card
 * is closed already.
 * @returns `confirmed`, or `open` where there is nothing to close
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
