import { type ClosureProgress, closeAtProcessor } from '../src/cards/cards/closure';
import { type TokenizationProgress, tokenizeAtProcessor } from '../src/cards/cards/tokenization';
import { checkOrder, type IssuanceProgress, orderCard } from '../src/cards/issuance/order';
import type { Composed } from '../src/composition';

/** Each step asks the processor under a key of the card and records its answer: idempotent. */
export interface CardActivities {
  orderCard(cardId: string): Promise<IssuanceProgress>;
  checkOrder(cardId: string): Promise<IssuanceProgress>;
  closeAtProcessor(cardId: string): Promise<ClosureProgress>;
  tokenizeAtProcessor(tokenizationId: string): Promise<TokenizationProgress>;
}

export function createCardActivities(services: Composed): CardActivities {
  return {
    orderCard: (cardId) => orderCard(services, cardId),
    checkOrder: (cardId) => checkOrder(services, cardId),
    closeAtProcessor: (cardId) => closeAtProcessor(services, cardId),
    tokenizeAtProcessor: (tokenizationId) => tokenizeAtProcessor(services, tokenizationId),
  };
}
