import { carryOutOperation } from '../src/cards/buffered/carry-out';
import { closeCardAtProcessor } from '../src/cards/buffered/closure';
import type { OperationStatus } from '../src/cards/buffered/record';
import type { ClosureProgress } from '../src/cards/cards/closure';
import { type TokenizationProgress, tokenizeAtProcessor } from '../src/cards/cards/tokenization';
import { checkOrder, type IssuanceProgress, orderCard } from '../src/cards/issuance/order';
import type { Composed } from '../src/composition';

/** Each step asks the processor under a key of the card and records its answer: idempotent. */
export interface CardActivities {
  orderCard(cardId: string): Promise<IssuanceProgress>;
  checkOrder(cardId: string): Promise<IssuanceProgress>;
  closeAtProcessor(cardId: string): Promise<ClosureProgress>;
  tokenizeAtProcessor(tokenizationId: string): Promise<TokenizationProgress>;
  /** Asks nobody: takes a card operation as far as it goes now. */
  carryOutOperation(operationId: string): Promise<OperationStatus>;
}

export function createCardActivities(services: Composed): CardActivities {
  return {
    orderCard: (cardId) => orderCard(services, cardId),
    checkOrder: (cardId) => checkOrder(services, cardId),
    closeAtProcessor: (cardId) => closeCardAtProcessor(services, cardId),
    tokenizeAtProcessor: (tokenizationId) => tokenizeAtProcessor(services, tokenizationId),
    carryOutOperation: (operationId) => carryOutOperation(services, operationId),
  };
}
