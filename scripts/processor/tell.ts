import { randomUUID } from 'node:crypto';
import type { Json } from '../demo/api';
import { type Processor, referenceOf } from './cards';
import { answered, type Line } from './send';

/** How long a challenge waits that does not tell it. Milliseconds. */
const CHALLENGE_MS = 600_000;

/**
 * Sends one message as the card processor. Absent names and times are made. A message passes over fields that its type does not have.
 * @returns its answer
 */
export async function tellOne(line: Line, processor: Processor, { cardId, ...given }: Json): Promise<string> {
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
