import type { Tx } from '../../kernel/db/database';
import { conflict } from '../../kernel/errors';
import { closeBreaksOf } from '../../process/breaks/operations';
import { confirmClosure, requireLockedCard } from '../cards/operations';
import type { Card } from '../cards/record';
import { isClosed } from '../cards/rules';
import { lookAtClosure, lookAtIssuance } from '../cards/workflows';
import type { CardEventDeps } from '../events/load-board';
import { decideIssuance } from '../issuance/order';
import type { CardServices } from '../services';
import { carryOut } from './carry-out';
import { openOperationOf } from './operations';
import { ORDER_OVERDUE } from './overdue-orders';
import { lookAtOperation } from './workflows';

/** The outcomes that a person can conclude for an open card order: an issuance has failed, or a card is closed. */
export const CARD_CONCLUSIONS = ['failed', 'closed'] as const;
export type CardConclusion = (typeof CARD_CONCLUSIONS)[number];

type Deps = CardEventDeps & Pick<CardServices, 'commands' | 'now'>;

/**
 * Ends a card order that the processor leaves open, as if the processor had said so. A word that says otherwise later opens the
 * break `card_order_contradicted`. The order's workflow looks again and ends.
 * @throws Problem 404; 409 `invalid_transition` where no such order is open
 */
export async function concludeCardOrder(
  services: Deps,
  tx: Tx,
  { cardId, as }: { cardId: string; as: CardConclusion },
): Promise<Card> {
  const card = await requireOpenOrder(tx, cardId, as);
  if (as === 'failed') await failIssuance(services, tx, card);
  else await confirmConcluded(services, tx, card);
  await closeBreaksOf(tx, { subject: cardId, kinds: [ORDER_OVERDUE], at: services.now() });
  return requireLockedCard(tx, cardId);
}

async function failIssuance(services: Deps, tx: Tx, card: Card): Promise<void> {
  const { id: cardId, idempotencyKey } = card;
  const of = { cardId, reach: null, idempotencyKey };
  await decideIssuance(services, tx, { ...of, type: 'issue_failed', failure: 'concluded_failed' });
  services.commands.append(tx, [lookAtIssuance(card)]);
}

async function confirmConcluded(services: Deps, tx: Tx, card: Card): Promise<void> {
  await confirmClosure(tx, card.id, services.now());
  services.commands.append(tx, [lookAtClosure(card)]);
  const operation = await openOperationOf(tx, card.id, 'close');
  if (!operation) return; // closed at once for its holder
  await carryOut(services, tx, operation);
  services.commands.append(tx, [lookAtOperation(operation)]);
}

/** The card of an order that can be concluded so, locked to the end of the transaction. @throws Problem as `concludeCardOrder` */
export async function requireOpenOrder(tx: Tx, cardId: string, as: CardConclusion): Promise<Card> {
  const card = await requireLockedCard(tx, cardId);
  const isOpen =
    as === 'failed' ? card.status === 'pending' : isClosed(card.status) && card.processorClosedAt === null;
  if (isOpen) return card;
  throw conflict(
    'invalid_transition',
    as === 'failed'
      ? `Only a pending issuance can be concluded as failed; the card is ${card.status}.`
      : 'Only a closure that the processor has not confirmed can be concluded as closed.',
  );
}
