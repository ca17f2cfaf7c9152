import { minOf } from '../../../kernel/money/money';
import type { Card } from '../../cards/record';
import { type CardTransaction, remaining, type UnansweredMessage } from '../record';
import type { Board } from './board';
import { release } from './cancel';
import { spendOf } from './conversion';
import { decline } from './decline';

/**
 * The network was told of a decline because no answer was there in time. What the authorization holds after all is released;
 * where it holds nothing, the decline is recorded.
 * @returns nothing where all that it held has been settled or released
 */
export function judgeUnanswered(
  board: Board,
  card: Card,
  { type: _, ...message }: UnansweredMessage,
): CardTransaction | undefined {
  const { referenceId, amount } = message;
  if (referenceId === undefined) {
    const spend = spendOf(board, card, { ...message, type: 'decline' }, amount);
    return decline(board, card, spend, 'processing_error');
  }
  const authorization = board.authorization(card.id, referenceId);
  if (!authorization) return undefined;
  const held = minOf(amount, remaining(authorization.own));
  return held.isZero() ? undefined : release(board, card, authorization, held, 'unanswered');
}
