import type { ClosureWord } from '../../parties/card-processor/word';
import { heardOrder } from '../../parties/orders/told-orders';
import { assertOrders } from '../../process/switches/switches';
import type { Services } from '../../services';
import { requireCard, requireLockedCard } from './operations';
import { closureKey, closureOrder, PROCESSOR_CALLBACKS } from './processor-orders';
import { againstClosure, noteWord } from './processor-words';
import type { Card } from './record';
import { isClosed } from './rules';
import { confirmClosure } from './store';

/** `confirmed`: the processor has closed the card. `open`: there is nothing to close. */
export type ClosureProgress = 'confirmed' | 'processing' | 'open';

/**
 * Tells the processor that the card is closed, and records when it confirms. Of a card that is open, or whose closure was confirmed,
 * it is only asked: where it says otherwise, a person is shown.
 * @throws PartyAway to be told again; PartyRefused: so too, for nothing but its word ends this
 */
export async function closeAtProcessor(services: Services, cardId: string): Promise<ClosureProgress> {
  const { database } = services;
  const card = await requireCard(database, null, cardId);
  const before = await heardOrder(database, 'cardProcessor', closureKey(cardId));
  const isToBeClosed = isClosed(card.status) && card.processorClosedAt === null;
  if (isToBeClosed && card.processorReference === null) throw new Error('a closed card was never issued');
  const word = await heard(services, card, isToBeClosed);
  return database.transaction(async (tx) => {
    const locked = await requireLockedCard(tx, cardId);
    await noteWord(tx, {
      ...{ order: closureOrder(card), cardId, word, before, at: services.now() },
      contradiction: againstClosure(locked, word),
      hasEnded: locked.processorClosedAt !== null,
    });
    if (locked.processorClosedAt) return 'confirmed';
    if (!isClosed(locked.status)) return 'open';
    if (word === 'unknown_to_party' || word.status === 'processing') return 'processing';
    await confirmClosure(tx, cardId, services.now());
    return 'confirmed';
  });
}

/** What the processor has heard of is not told again: it may remember a key for a day only. */
async function heard(
  services: Services,
  { id, processorReference: reference }: Card,
  isToBeClosed: boolean,
): Promise<ClosureWord | 'unknown_to_party'> {
  if (reference === null) return 'unknown_to_party';
  const { cardProcessor } = services.parties;
  const order = { key: closureKey(id), reference };
  const known = await cardProcessor.closure(order);
  if (known !== 'unknown_to_party' || !isToBeClosed) return known;
  await assertOrders(services, 'cardProcessor');
  return cardProcessor.close({ ...order, callbackUrl: services.publicUrl() + PROCESSOR_CALLBACKS });
}
