import type { Composed } from '../src/composition';
import { advanceTransfer, type ExternalCardProgress } from '../src/transfers/external-cards/advance';

/** The step asks the party under the record's key and records its answer: run twice, it has run once. */
export interface ExternalCardActivities {
  advanceExternalCard(id: string): Promise<ExternalCardProgress>;
}

export function createExternalCardActivities(services: Composed): ExternalCardActivities {
  return { advanceExternalCard: (id) => advanceTransfer(services, id) };
}
