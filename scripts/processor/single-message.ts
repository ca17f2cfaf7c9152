import { randomUUID } from 'node:crypto';
import type { Json } from '../support/api';
import { type Processor, referenceOf } from './cards';
import { answered, type Line } from './send';

/** Lifetime of a challenge without `expiresAt`, in milliseconds. */
const CHALLENGE_MS = 600_000;

/**
 * Sends one message as the card processor. Generates absent names and times, and ignores fields that the type does not
 * have.
 * @returns the answer
 */
export async function sendSingleMessage(
  line: Line,
  processor: Processor,
  { cardId, ...given }: Json,
): Promise<string> {
  const message = {
    messageId: randomUUID(),
    networkReference: randomUUID(),
    sentAt: new Date().toISOString(),
    expiresAt: new Date(Date.now() + CHALLENGE_MS).toISOString(),
    ...(cardId === undefined ? {} : { cardReference: await referenceOf(processor, String(cardId)) }),
    ...given,
  };
  return (await answered(line, String(given['type']), JSON.stringify(message))).text;
}
