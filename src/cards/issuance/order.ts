import { ZERO } from '../../kernel/money/money';
import type { CardWord } from '../../parties/card-processor/word';
import { OutcomeUnknown, PartyRefused, PartyStopped } from '../../process/party-errors';
import { endOperation } from '../buffered/end';
import { openOperationOf } from '../buffered/operations';
import { requireCard, requireLockedCard } from '../cards/operations';
import { orderKey, PROCESSOR_CALLBACKS } from '../cards/processor-orders';
import type { Card, CardStatus } from '../cards/record';
import { recordCardEvent } from '../events/operations';
import type { Message } from '../events/record';
import type { CardServices } from '../services';

/**
 * Where an issuance stands after a step. `processing`: the processor has the order and has not decided. `unknown`: it
 * gave no answer. `not_found`: it does not know the order. Else the card's status, which is then final for the issuance.
 */
export type IssuanceProgress = 'processing' | 'unknown' | 'not_found' | Exclude<CardStatus, 'pending'>;

/**
 * Orders the card and records what the processor answers. A card that is no longer pending is left alone.
 * @throws PartyAway nothing was ordered; PartyStopped so too, until the processor is on again
 */
export async function orderCard(services: CardServices, cardId: string): Promise<IssuanceProgress> {
  const card = await requireCard(services.database, null, cardId);
  if (card.status !== 'pending') return card.status;
  if ((await services.switches.party('cardProcessor')) !== 'on') return askInstead(services, cardId);
  const word = await wordOnOrder(services, card);
  return word === 'unknown' ? word : recordIssuance(services, card, word);
}

/** What the processor has heard of is not ordered again: it may remember a key for a day only. */
async function wordOnOrder(
  { parties: { cardProcessor }, publicUrl }: CardServices,
  { id, bin, currency, cardholderId, label }: Card,
): Promise<CardWord | 'unknown'> {
  const key = orderKey(id);
  const callbackUrl = publicUrl() + PROCESSOR_CALLBACKS;
  try {
    const known = await cardProcessor.issuance(key);
    if (known !== 'unknown_to_party') return known;
    return await cardProcessor.issue({ key, bin, currency, cardholderId, label, callbackUrl });
  } catch (error) {
    if (error instanceof OutcomeUnknown) return 'unknown';
    if (error instanceof PartyRefused) return { status: 'failed', failureCode: error.code };
    throw error;
  }
}

/** While the processor is stopped: an order that it has goes on, one that it has not is not given. */
async function askInstead(services: CardServices, cardId: string): Promise<IssuanceProgress> {
  const known = await checkOrder(services, cardId);
  if (known === 'not_found') throw new PartyStopped();
  return known;
}

/** Asks what became of the order, and records it. @throws PartyAway nothing is known */
export async function checkOrder(services: CardServices, cardId: string): Promise<IssuanceProgress> {
  const card = await requireCard(services.database, null, cardId);
  if (card.status !== 'pending') return card.status;
  const word = await services.parties.cardProcessor.issuance(orderKey(cardId));
  return word === 'unknown_to_party' ? 'not_found' : recordIssuance(services, card, word);
}

/** Only the processor's own decision ends an issuance. Idempotent: a card that is no longer pending is left as it is. */
async function recordIssuance(services: CardServices, card: Card, word: CardWord): Promise<IssuanceProgress> {
  if (word.status === 'processing') return 'processing';
  const { id: cardId, idempotencyKey } = card;
  return services.database.transaction(async (tx) => {
    await requireLockedCard(tx, cardId);
    const operation = await openOperationOf(tx, cardId, 'issue');
    const of = { cardId, reach: null, idempotencyKey, buffer: operation?.buffer ?? ZERO };
    const failure = word.status === 'failed' ? (word.failureCode ?? 'processor_refused') : null;
    const message: Message =
      word.status === 'issued'
        ? { ...of, type: 'issue', processor: issuedCard(word) }
        : { ...of, type: 'issue_failed', failure: failure ?? '' };
    const { told, card: now } = await recordCardEvent(tx, services, message);
    if (operation)
      await endOperation(services, tx, operation, failure === null ? { told } : notIssued(failure));
    return now.status as Exclude<CardStatus, 'pending'>;
  });
}

const notIssued = (code: string) => ({
  failure: { code, message: 'The card processor has not issued the card.' },
});

function issuedCard({ reference, last4, expiryMonth, expiryYear }: Extract<CardWord, { status: 'issued' }>) {
  return { reference, last4, expiryMonth, expiryYear };
}
