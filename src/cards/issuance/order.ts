import { type Issuance, ProcessorTimeout } from '../../parties/card-processor/port';
import { requireCard } from '../cards/operations';
import type { Card, CardStatus } from '../cards/record';
import { recordCardEvent } from '../events/operations';
import type { CardServices } from '../services';

/**
 * Where an issuance stands after a step. `processing`: the processor has the order and has not decided. `unknown`: it
 * gave no answer. `not_found`: it does not know the order. Else the card's status, which is then final for the issuance.
 */
export type IssuanceProgress = 'processing' | 'unknown' | 'not_found' | Exclude<CardStatus, 'pending'>;

/** One a card: asking again gives the outcome of the first order. */
const orderKey = (cardId: string) => `issue-${cardId}`;

/**
 * Orders the card and records what the processor answers. A card that is no longer pending is left alone.
 * @throws ProcessorUnreachable nothing was ordered
 */
export async function orderCard(services: CardServices, cardId: string): Promise<IssuanceProgress> {
  const card = await requireCard(services.database, null, cardId);
  if (card.status !== 'pending') return card.status;
  const { bin, currency, cardholderId, label } = card;
  try {
    const order = { bin, currency, cardholderId, label };
    return await recordIssuance(
      services,
      card,
      await services.parties.cardProcessor.issue(orderKey(cardId), order),
    );
  } catch (error) {
    if (error instanceof ProcessorTimeout) return 'unknown';
    throw error;
  }
}

/** Asks what became of the order, and records it. @throws ProcessorUnreachable, ProcessorTimeout nothing is known */
export async function checkOrder(services: CardServices, cardId: string): Promise<IssuanceProgress> {
  const card = await requireCard(services.database, null, cardId);
  if (card.status !== 'pending') return card.status;
  const issuance = await services.parties.cardProcessor.issuance(orderKey(cardId));
  return issuance ? recordIssuance(services, card, issuance) : 'not_found';
}

/** Only the processor's own decision ends an issuance. Idempotent: a card that is no longer pending is left as it is. */
async function recordIssuance(
  services: CardServices,
  card: Card,
  issuance: Issuance,
): Promise<IssuanceProgress> {
  if (issuance.status === 'processing') return 'processing';
  const of = { cardId: card.id, reach: null, idempotencyKey: card.idempotencyKey };
  const message =
    issuance.status === 'issued'
      ? ({ ...of, type: 'issue', processor: issuedCard(issuance) } as const)
      : ({ ...of, type: 'issue_failed', failure: issuance.code } as const);
  const recorded = await services.database.transaction((tx) => recordCardEvent(tx, services, message));
  return recorded.card.status as Exclude<CardStatus, 'pending'>;
}

function issuedCard({ reference, last4, expiryMonth, expiryYear }: Extract<Issuance, { status: 'issued' }>) {
  return { reference, last4, expiryMonth, expiryYear };
}
