import type { Services } from '../../services';
import { requireCard } from './operations';
import { isClosed } from './rules';
import { confirmClosure } from './store';

/** `confirmed`: the processor has closed the card. `open`: there is nothing to close. */
export type ClosureProgress = 'confirmed' | 'processing' | 'open';

/**
 * Tells the processor that the card is closed, and records when it confirms.
 * @throws ProcessorUnreachable, ProcessorTimeout: to be told again under the same key
 */
export async function closeAtProcessor(services: Services, cardId: string): Promise<ClosureProgress> {
  const { database, parties } = services;
  const card = await requireCard(database, null, cardId);
  if (card.processorClosedAt) return 'confirmed';
  if (!isClosed(card.status)) return 'open';
  if (card.processorReference === null) throw new Error('a closed card was never issued');
  if ((await parties.cardProcessor.close(`close-${cardId}`, card.processorReference)) === 'processing') {
    return 'processing';
  }
  await confirmClosure(database, cardId, services.now());
  return 'confirmed';
}
