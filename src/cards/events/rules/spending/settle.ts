import { invalid } from '../../../../kernel/errors';
import type { Decimal } from '../../../../kernel/money/money';
import type { Card } from '../../../cards/record';
import { type Authorization, type CardTransaction, type ProcessorMessage, remaining } from '../../record';
import { accepted, type Board } from '../board';
import { feeEntries } from '../fee-entries';
import { partOfHeld, recordOn } from './authorization';
import { grow, open } from './authorize';
import { release } from './cancel';
import { currencyOfMessage, spendOf } from './conversion';

/**
 * Settles part or all of an authorization. Never refused: an amount that is not held is first authorized by force, so
 * that the effects of `interface.md 3.4` apply to every event. Such an amount is an excess, or a settlement after a
 * cancel or an expiry, or one without an authorization.
 */
export function settle(board: Board, card: Card, message: ProcessorMessage): CardTransaction {
  const known = board.authorization(card.id, message.referenceId);
  currencyOfMessage(message, known, card.currency);
  const amount = message.amount ?? (known ? remaining(known.own) : undefined);
  if (!amount?.gt(0)) throw invalid('amount is required when the authorization holds nothing.', 'amount');
  const authorization = known ?? forcePost(board, card, message, amount);
  const excess = amount.minus(remaining(authorization.own));
  if (excess.gt(0)) {
    const spend = spendOf(board, card, message, excess, authorization);
    accepted(grow(board, card, authorization, spend, true));
  }
  const settled = settlePart(board, card, authorization, amount, message);
  const rest = remaining(authorization.own);
  if (message.final && rest.gt(0)) release(board, card, authorization, rest, 'settlement');
  return settled;
}

function forcePost(board: Board, card: Card, message: ProcessorMessage, amount: Decimal): Authorization {
  const { id } = accepted(open(board, card, spendOf(board, card, message, amount), { forced: true }));
  const authorization = board.authorizationById(id);
  if (!authorization) throw new Error('an opened authorization is missing from the board');
  return authorization;
}

function settlePart(
  board: Board,
  card: Card,
  authorization: Authorization,
  amount: Decimal,
  message: ProcessorMessage,
): CardTransaction {
  const { event, fee } = partOfHeld(authorization, 'settle', amount);
  const { masterAccountId, currency } = card;
  const accountEntries = feeEntries(masterAccountId, 'fee/settle_fee', fee, currency, event.referenceId);
  const { merchant } = message;
  return accepted(recordOn(board, card, { ...event, fee, merchant, accountEntries }, fee.negated()));
}
