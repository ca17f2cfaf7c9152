import { maxOf, minOf, ZERO } from '../../../../kernel/money/money';
import type { Card } from '../../../cards/record';
import { type CardTransaction, remaining, type UnansweredMessage } from '../../record';
import type { Board } from '../board';
import { release } from '../spending/cancel';
import { spendOfDeclined } from '../spending/conversion';
import { decline } from '../spending/decline';

/**
 * Makes the books agree with a decline that the network got because we did not answer in time. Releases what the
 * authorization holds, or records the decline when it holds nothing. Cancels since then may have released this hold, so
 * their amount is deducted; otherwise another part of the chain would be released. A later reversal by the network
 * releases nothing.
 * @returns undefined when everything that it held was settled or released
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
