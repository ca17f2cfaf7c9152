import type { Tx } from '../../kernel/db/database';
import { conflict } from '../../kernel/errors';
import { closeBreaksOf } from '../../process/breaks/operations';
import { requireLockedCard } from '../cards/operations';
import type { Card } from '../cards/record';
import type { CardEventDeps } from '../events/load-board';
import type { CardServices } from '../services';
import { closureOrder, concludeClosure } from './closure';
import { concludeIssuance, issuanceOrder } from './issuance';
import { ORDER_OVERDUE } from './overdue';

/** Outcomes that an operator can conclude for an open card order: the issuance has failed, or the card is closed. */
export const CARD_CONCLUSIONS = ['failed', 'closed'] as const;
export type CardConclusion = (typeof CARD_CONCLUSIONS)[number];

const ORDERS = { failed: issuanceOrder, closed: closureOrder };

type Deps = CardEventDeps & Pick<CardServices, 'commands' | 'now'>;

/**
 * Ends a card order that the processor leaves open, as if the processor had answered. A later, different answer opens
 * the break `card_order_contradicted`. The order's workflow is woken and ends.
 * @throws Problem 404; 409 `invalid_transition` when no such order is open
 */
export async function concludeCardOrder(
  services: Deps,
  tx: Tx,
  { cardId, as }: { cardId: string; as: CardConclusion },
): Promise<Card> {
  const card = await requireLockedCard(tx, cardId);
  assertOpenOrder(card, as);
  if (as === 'failed')
    await concludeIssuance(services, tx, card, { status: 'failed', failureCode: 'concluded_failed' });
  else await concludeClosure(services, tx, card);
  services.commands.append(tx, [ORDERS[as].process.look(card)]);
  await closeBreaksOf(tx, { subject: cardId, kinds: [ORDER_OVERDUE], at: services.now() });
  return requireLockedCard(tx, cardId);
}

/** @throws Problem 409 as {@link concludeCardOrder} */
export function assertOpenOrder(card: Card, as: CardConclusion): void {
  if (ORDERS[as].isOpen(card)) return;
  throw conflict(
    'invalid_transition',
    as === 'failed'
      ? `Only a pending issuance can be concluded as failed; the card is ${card.status}.`
      : 'Only a closure that the processor has not confirmed can be concluded as closed.',
  );
}
