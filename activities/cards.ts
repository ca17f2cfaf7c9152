import type { OperationStatus } from '../src/cards/buffered/record';
import { closeAtProcessor } from '../src/cards/orders/closure';
import { orderCard } from '../src/cards/orders/issuance';
import { tokenizeAtProcessor } from '../src/cards/orders/tokenization';
import { carryOutOperation } from '../src/cards/requests/carry-out';
import type { Composed } from '../src/composition';
import type { LOST } from '../src/process/lost-record';

/** Idempotent: each step asks the card processor under a key of the record and records the answer once. */
export interface CardActivities {
  orderCard(cardId: string): Promise<string>;
  closeAtProcessor(cardId: string): Promise<string>;
  tokenizeAtProcessor(tokenizationId: string): Promise<string>;
  /** Posts a funding, or checks whether the card processor has decided. Asks no party. */
  carryOutOperation(operationId: string): Promise<OperationStatus | typeof LOST>;
}

export function createCardActivities(services: Composed): CardActivities {
  return {
    orderCard: (cardId) => orderCard(services, cardId),
    closeAtProcessor: (cardId) => closeAtProcessor(services, cardId),
    tokenizeAtProcessor: (tokenizationId) => tokenizeAtProcessor(services, tokenizationId),
    carryOutOperation: (operationId) => carryOutOperation(services, operationId),
  };
}
