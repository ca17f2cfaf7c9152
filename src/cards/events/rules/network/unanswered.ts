import { maxOf, minOf, ZERO } from '../../../../kernel/money/money';
import type { Card } from '../../../cards/record';
import { type CardTransaction, remaining, type UnansweredMessage } from '../../record';
import type { Board } from '../board';
import { release } from '../cancel';
import { spendOfDeclined } from '../conversion';
import { decline } from '../decline';

/**
 * The network was told of a decline because no answer was there in time. What the authorization holds after all is released;
 * where it holds nothing, the decline is recorded. What was cancelled since may have been this: it is not released again, be
 * another part of its chain held for longer then; and its reversal by the network, should that come yet, releases nothing.
 * @returns nothing where all that it held has been settled or released
 */
export function judgeUnanswered(
  board: Board,
  card: Card,
  message: UnansweredMessage,
): CardTransaction | undefined {
  const { referenceId, amount, cancelled = ZERO } = message;
  if (referenceId === undefined)
    return decline(board, card, spendOfDeclined(board, card, message), 'processing_error');
  const authorization = board.authorization(card.id, referenceId);
  if (!authorization) return undefined;
  const released = minOf(maxOf(amount.minus(cancelled), ZERO), remaining(authorization.own));
  if (released.isZero()) return undefined;
  const known = board.networks.of(message);
  known.releasedUnanswered = known.releasedUnanswered.plus(released);
  board.networks.keep(known);
  return release(board, card, authorization, released, 'unanswered');
}
