import type { ClosureWord } from '../../parties/card-processor/word';
import { assertOrders } from '../../process/switches/switches';
import type { Services } from '../../services';
import { requireCard } from './operations';
import { closureKey, PROCESSOR_CALLBACKS } from './processor-orders';
import { isClosed } from './rules';
import { confirmClosure } from './store';

/** `confirmed`: the processor has closed the card. `open`: there is nothing to close. */
export type ClosureProgress = 'confirmed' | 'processing' | 'open';

/**
 * Tells the processor that the card is closed, and records when it confirms.
 * @throws PartyAway to be told again; PartyRefused: so too, for nothing but its word ends this
 */
export async function closeAtProcessor(services: Services, cardId: string): Promise<ClosureProgress> {
  const { database } = services;
  const card = await requireCard(database, null, cardId);
  if (card.processorClosedAt) return 'confirmed';
  if (!isClosed(card.status)) return 'open';
  if (card.processorReference === null) throw new Error('a closed card was never issued');
  const { status } = await told(services, cardId, card.processorReference);
  if (status === 'processing') return 'processing';
  await confirmClosure(database, cardId, services.now());
  return 'confirmed';
}

/** What the processor has heard of is not told again: it may remember a key for a day only. */
async function told(services: Services, cardId: string, reference: string): Promise<ClosureWord> {
  const { cardProcessor } = services.parties;
  const order = { key: closureKey(cardId), reference };
  const known = await cardProcessor.closure(order);
  if (known !== 'unknown_to_party') return known;
  await assertOrders(services, 'cardProcessor');
  return cardProcessor.close({ ...order, callbackUrl: services.publicUrl() + PROCESSOR_CALLBACKS });
}
