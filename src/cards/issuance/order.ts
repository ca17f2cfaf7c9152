import type { Tx } from '../../kernel/db/database';
import { ZERO } from '../../kernel/money/money';
import type { CardWord } from '../../parties/card-processor/word';
import { type HeardOrder, heardOrder } from '../../parties/orders/told-orders';
import { OutcomeUnknown, PartyRefused } from '../../process/party-errors';
import { assertOrders } from '../../process/switches/switches';
import { endOperation } from '../buffered/end';
import { openOperationOf } from '../buffered/operations';
import { lookAtOperation } from '../buffered/workflows';
import { keepProcessorReference, requireCard, requireLockedCard } from '../cards/operations';
import { issuanceOrder, orderKey, PROCESSOR_CALLBACKS } from '../cards/processor-orders';
import { againstIssuance, noteWord } from '../cards/processor-words';
import type { Card, CardStatus } from '../cards/record';
import type { CardEventDeps } from '../events/load-board';
import { recordCardEvent } from '../events/operations';
import type { CardServices } from '../services';

/**
 * Where an issuance stands after a step. `processing`: the processor has the order and has not decided. `unknown`: it
 * gave no answer. `not_found`: it does not know the order. Else the card's status, which is then final for the issuance.
 */
export type IssuanceProgress = 'processing' | 'unknown' | 'not_found' | Exclude<CardStatus, 'pending'>;

/**
 * Orders the card and records what the processor answers. One that is no longer pending is only asked about.
 * @throws PartyAway nothing was ordered; PartyStopped so too, until the processor is on again: an order that it has goes on
 */
export async function orderCard(services: CardServices, cardId: string): Promise<IssuanceProgress> {
  const card = await requireCard(services.database, null, cardId);
  if (card.status !== 'pending') return checkOrder(services, cardId);
  const before = await heardOrder(services.database, 'cardProcessor', orderKey(cardId));
  const word = await wordOnOrder(services, card);
  return word === 'unknown' ? word : recordIssuance(services, card, word, before);
}

/** What the processor has heard of is not ordered again: it may remember a key for a day only. */
async function wordOnOrder(
  services: CardServices,
  { id, bin, currency, cardholderId, label }: Card,
): Promise<CardWord | 'unknown'> {
  const { cardProcessor } = services.parties;
  const key = orderKey(id);
  const callbackUrl = services.publicUrl() + PROCESSOR_CALLBACKS;
  try {
    const known = await cardProcessor.issuance(key);
    if (known !== 'unknown_to_party') return known;
    await assertOrders(services, 'cardProcessor');
    return await cardProcessor.issue({ key, bin, currency, cardholderId, label, callbackUrl });
  } catch (error) {
    if (error instanceof OutcomeUnknown) return 'unknown';
    if (error instanceof PartyRefused) return { status: 'failed', failureCode: error.code };
    throw error;
  }
}

/**
 * Asks what became of the order, and records it. Where its issuance has ended otherwise here, a person is shown.
 * @throws PartyAway nothing is known
 */
export async function checkOrder(services: CardServices, cardId: string): Promise<IssuanceProgress> {
  const card = await requireCard(services.database, null, cardId);
  const key = orderKey(cardId);
  const before = await heardOrder(services.database, 'cardProcessor', key);
  const word = await services.parties.cardProcessor.issuance(key);
  return recordIssuance(services, card, word, before);
}

/** Only the processor's own decision ends an issuance. Idempotent: a card that is no longer pending is left as it is. */
async function recordIssuance(
  services: CardServices,
  { id, idempotencyKey }: Card,
  word: CardWord | 'unknown_to_party',
  before: HeardOrder,
): Promise<IssuanceProgress> {
  return services.database.transaction(async (tx) => {
    const locked = await requireLockedCard(tx, id);
    const message = messageOf({ cardId: id, reach: null, idempotencyKey }, word);
    const isDecided = locked.status === 'pending' && message !== undefined;
    const card = isDecided ? await decideIssuance(services, tx, message) : locked;
    if (card.status === 'failed' && message?.type === 'issue')
      await keepProcessorReference(tx, id, message.processor.reference);
    await noteWord(tx, {
      ...{ order: issuanceOrder(card), cardId: id, word, before, at: services.now() },
      contradiction: againstIssuance(card, word),
      hasEnded: card.status !== 'pending',
    });
    if (card.status !== 'pending') return card.status;
    return word === 'unknown_to_party' ? 'not_found' : 'processing';
  });
}

/** Ends an issuance, and the operation of a client that asked for it with a buffer. The caller holds the card's lock. */
export async function decideIssuance(
  services: CardEventDeps & Pick<CardServices, 'commands' | 'now'>,
  tx: Tx,
  message: NonNullable<ReturnType<typeof messageOf>>,
): Promise<Card> {
  const operation = await openOperationOf(tx, message.cardId, 'issue');
  const buffer = operation?.buffer ?? ZERO;
  const { card, told } = await recordCardEvent(tx, services, { ...message, buffer });
  const ending = message.type === 'issue' ? { told } : notIssued(message.failure);
  if (!operation) return card;
  await endOperation(services, tx, operation, ending);
  services.commands.append(tx, [lookAtOperation(operation)]);
  return card;
}

/** Nothing where the processor has not decided. */
function messageOf(
  of: { cardId: string; reach: null; idempotencyKey: string | null },
  word: CardWord | 'unknown_to_party',
) {
  if (word === 'unknown_to_party' || word.status === 'processing') return undefined;
  return word.status === 'issued'
    ? ({ ...of, type: 'issue', processor: issuedCard(word) } as const)
    : ({ ...of, type: 'issue_failed', failure: word.failureCode ?? 'processor_refused' } as const);
}

const notIssued = (code: string) => ({
  failure: { code, message: 'The card processor has not issued the card.' },
});

function issuedCard({ reference, last4, expiryMonth, expiryYear }: Extract<CardWord, { status: 'issued' }>) {
  return { reference, last4, expiryMonth, expiryYear };
}
