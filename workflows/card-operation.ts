import { continueAsNew } from '@temporalio/workflow';
import type { CardActivities } from '../activities/cards';
import { listenForLooks } from './support/look-signal';
import { showing } from './support/status';
import { steps } from './support/steps';
import { looksAgain } from './support/summary';

// A single transaction on the default queue, because the activity asks no party.
const { carryOutOperation } = steps<Pick<CardActivities, 'carryOutOperation'>>(
  {
    startToCloseTimeout: '30 seconds',
    retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
  },
  { carryOutOperation: (id) => `post ${id}, or read whether the card processor has decided` },
);

/** A signal tells the end at once. The hourly look finds an end whose signal was lost. */
const LOOK_EVERY_MS = 60 * 60_000;
/** Looks until the workflow continues as new. A look adds about ten events to the history. */
const LOOKS_PER_RUN = 100;

const UNDECIDED = 'The card processor has not decided yet.';

/**
 * Carries out a client's request for a v2 card (`card-operation-<operationId>`). A funding is posted at once. An
 * issuance or a closure ends when the card processor has decided; `cardIssuance` and `cardClosure` ask the processor.
 * @returns `completed` or `failed`
 */
export async function cardOperation(operationId: string): Promise<string> {
  const looks = listenForLooks();
  const show = showing(operationId);
  let status = await carryOutOperation(operationId);
  for (let looked = 1; status === 'processing'; looked += 1) {
    show.status(status, UNDECIDED, { next: Date.now() + LOOK_EVERY_MS });
    if (looked >= LOOKS_PER_RUN && !looks.waiting()) await continueAsNew<typeof cardOperation>(operationId);
    await looks.within(LOOK_EVERY_MS, looksAgain(UNDECIDED, LOOK_EVERY_MS));
    status = await carryOutOperation(operationId);
  }
  show.status(status, 'Nothing is left to wait for.');
  return status;
}
