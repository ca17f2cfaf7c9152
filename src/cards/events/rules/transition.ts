import type { Card, CardTrigger } from '../../cards/record';
import { nextStatus } from '../../cards/rules';
import type { Board } from './board';

/** Moves a card to its next status. @throws Error when the table of transitions has no such row */
export function transition(board: Board, card: Card, on: CardTrigger): void {
  const to = nextStatus(card.status, on);
  if (!to) throw new Error(`a card that is ${card.status} has no transition ${on}`);
  card.status = to;
  board.keepCard(card);
}
