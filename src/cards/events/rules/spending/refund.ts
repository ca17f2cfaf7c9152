import { conflict, invalid, notFound } from '../../../../kernel/errors';
import { newId } from '../../../../kernel/ids';
import { type Decimal, shareOf, ZERO } from '../../../../kernel/money/money';
import type { Card } from '../../../cards/record';
import { type Authorization, type CardTransaction, type ProcessorMessage, refundable } from '../../record';
import { accepted, type Board } from '../board';
import { nextReference, recordOn } from './authorization';
import { currencyOfMessage, spendOf } from './conversion';

/**
 * Refunds money to the card. With an authorization: at most its settled and not refunded amount, at its rate. Without
 * one: any amount at the present rate.
 * @throws Problem 404 for an unknown reference, 409 `limit_exceeded`
 */
export function refund(board: Board, card: Card, message: ProcessorMessage): CardTransaction {
  const { amount, referenceId } = message;
  if (!amount) throw invalid('amount is required.', 'amount');
  if (referenceId === undefined) return unlinked(board, card, message, amount);
  const authorization = board.authorization(card.id, referenceId);
  if (!authorization) throw notFound('authorization', 'referenceId');
  return linked(board, card, authorization, message, amount);
}

function linked(
  board: Board,
  card: Card,
  authorization: Authorization,
  message: ProcessorMessage,
  amount: Decimal,
): CardTransaction {
  const currency = currencyOfMessage(message, authorization, card.currency);
  const open = refundable(authorization.own);
  if (amount.gt(open))
    throw conflict(
      'limit_exceeded',
      'The amount is greater than the settled amount that was not refunded.',
      'amount',
    );
  const event = {
    type: 'refund' as const,
    amount,
    currency,
    billingAmount: shareOf(refundable(authorization.billing), amount, open, card.currency),
    referenceId: nextReference(authorization, 'refund'),
    linkedId: authorization.lastSettleId,
    authorization,
    merchant: message.merchant,
  };
  return accepted(recordOn(board, card, event, ZERO));
}

function unlinked(board: Board, card: Card, message: ProcessorMessage, amount: Decimal): CardTransaction {
  const { currency, billing, merchant } = spendOf(board, card, message, amount);
  return accepted(
    board.record(card, {
      type: 'refund',
      amount,
      currency,
      billingAmount: billing,
      referenceId: newId('reference'),
      merchant,
    }),
  );
}
