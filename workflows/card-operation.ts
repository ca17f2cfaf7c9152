import { continueAsNew, proxyActivities } from '@temporalio/workflow';
import type { CardActivities } from '../activities/cards';
import { listenForLooks } from './support/look-signal';
import { showStatus } from './support/status';

// A transaction of our own: it asks no party.
const { carryOutOperation } = proxyActivities<Pick<CardActivities, 'carryOutOperation'>>({
  startToCloseTimeout: '30 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
});

/** Its end is told at once, by a signal; looking without being told shows that nothing has been lost. */
const LOOK_EVERY_MS = 60 * 60_000;
/** Then the history, of about ten events a look, begins anew. */
const LOOKS_PER_RUN = 100;

/**
 * Carries out what a client has asked of a card (`card-operation-<operationId>`). A funding is posted; an
 * issuance and a closure end with what the card processor decides, which has a workflow of its own.
 * @returns `completed` or `failed`
 */
export async function cardOperation(operationId: string): Promise<string> {
  const looks = listenForLooks();
  let status = await carryOutOperation(operationId);
  for (let looked = 1; status === 'processing'; looked += 1) {
    showStatus(status, 'The card processor has not decided yet.');
    if (looked >= LOOKS_PER_RUN && !looks.waiting()) await continueAsNew<typeof cardOperation>(operationId);
    await looks.next(LOOK_EVERY_MS);
    status = await carryOutOperation(operationId);
  }
  showStatus(status);
  return status;
}
