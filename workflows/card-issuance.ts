import type { CardActivities } from '../activities/cards';
import { PARTY_QUEUES } from '../src/kernel/outbox/queues';
import { orderWorkflow } from './support/order';
import { askingParty } from './support/party-retries';
import { steps } from './support/steps';

const { orderCard } = steps<Pick<CardActivities, 'orderCard'>>(
  { ...askingParty, taskQueue: PARTY_QUEUES.cardProcessor },
  { orderCard: (cardId) => `order ${cardId} from the card processor, or ask for the outcome` },
);

/**
 * Issues a card (`card-issuance-<cardId>`). Every order carries the card's key, so that a repeated order never creates
 * a second card.
 * @returns the card's status at the end of the issuance
 */
export const cardIssuance = orderWorkflow({
  advance: orderCard,
  status: 'pending',
  begins: 'Ordering the card from the card processor.',
  processing: 'Ordered: the card processor has not decided yet.',
  unknown: 'The card processor gave no answer: it may have made the card. Its outcome is asked for.',
});
