import type { Card, CardTrigger } from '../../cards/record';
import { nextStatus } from '../../cards/rules';
import type { Board } from './board';

/** Applies a line of the table of states. */
export function transition(board: Board, card: Card, on: CardTrigger): void {
  const to = nextStatus(card.status, on);
  if (!to) throw new Error(`${on} leads nowhere from ${card.status}`);
  card.status = to;
  board.keepCard(card);
}
