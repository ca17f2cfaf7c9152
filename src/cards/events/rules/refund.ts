import { conflict, invalid, notFound } from '../../../kernel/errors';
import { newId } from '../../../kernel/ids';
import { type Decimal, shareOf } from '../../../kernel/money/money';
import type { Card } from '../../cards/record';
import { type CardTransaction, type Chain, type ProcessorMessage, refundable } from '../record';
import type { Board } from './board';
import { billingRate, currencyOfMessage, toBilling } from './conversion';

/**
 * Gives money back to the card: at most what its chain has settled and not yet refunded, at the chain's rate; or, without
 * a chain, any amount at the current rate.
 * @throws Problem 404 for an unknown reference, 409 `limit_exceeded`
 */
export function refund(board: Board, card: Card, message: ProcessorMessage): CardTransaction {
  const { amount, referenceId } = message;
  if (!amount) throw invalid('amount is required.', 'amount');
  if (referenceId === undefined) return unlinked(board, card, message, amount);
  const chain = board.chain(card.id, referenceId);
  if (!chain) throw notFound('authorization', 'referenceId');
  return linked(board, card, chain, message, amount);
}

function linked(
  board: Board,
  card: Card,
  chain: Chain,
  message: ProcessorMessage,
  amount: Decimal,
): CardTransaction {
  const currency = currencyOfMessage(message, chain, card.currency);
  const open = refundable(chain.own);
  if (amount.gt(open))
    throw conflict('limit_exceeded', 'The amount is more than was settled and not refunded.', 'amount');
  const billing = shareOf(refundable(chain.billing), amount, open, card.currency);
  const refunded = board.mustRecord(card, {
    type: 'refund',
    amount,
    currency,
    billingAmount: billing,
    referenceId: chain.own.refunded.isZero() ? chain.referenceId : newId('reference'),
    linkedId: chain.lastSettleId,
    chain,
    merchant: message.merchant,
  });
  chain.own.refunded = chain.own.refunded.plus(amount);
  chain.billing.refunded = chain.billing.refunded.plus(billing);
  board.keepChain(chain);
  return refunded;
}

function unlinked(board: Board, card: Card, message: ProcessorMessage, amount: Decimal): CardTransaction {
  const currency = currencyOfMessage(message, undefined, card.currency);
  const rate = billingRate(board, currency, card.currency, board.programme(card.bin));
  return board.mustRecord(card, {
    type: 'refund',
    amount,
    currency,
    billingAmount: toBilling(amount, rate, card.currency),
    referenceId: newId('reference'),
    merchant: message.merchant,
  });
}
