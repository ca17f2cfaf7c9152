import { conflict, notFound } from '../../../kernel/errors';
import { newId } from '../../../kernel/ids';
import { holdEntry } from '../../../kernel/ledger/entries';
import { type Decimal, shareOf } from '../../../kernel/money/money';
import type { Card } from '../../cards/record';
import {
  type CardTransaction,
  type Chain,
  type EventSource,
  type ProcessorMessage,
  remaining,
} from '../record';
import type { Board } from './board';
import { currencyOfMessage } from './conversion';

/**
 * Releases part of what an authorization holds, or all of it without an amount.
 * @throws Problem 404 for an unknown authorization, 409 when it holds less (`limit_exceeded`) or nothing
 * (`invalid_transition`)
 */
export function cancel(board: Board, card: Card, message: ProcessorMessage): CardTransaction {
  const chain = message.referenceId === undefined ? undefined : board.chain(card.id, message.referenceId);
  if (!chain) throw notFound('authorization', 'referenceId');
  currencyOfMessage(message, chain, card.currency);
  const held = remaining(chain.own);
  if (held.isZero()) throw conflict('invalid_transition', 'Nothing of this authorization is held any more.');
  const amount = message.amount ?? held;
  if (amount.gt(held)) throw conflict('limit_exceeded', 'The amount is more than is still held.', 'amount');
  return release(board, card, chain, amount);
}

/** Releases a part of what is held, and its share of the settle fee's hold. */
export function release(
  board: Board,
  card: Card,
  chain: Chain,
  amount: Decimal,
  source?: EventSource,
): CardTransaction {
  const held = remaining(chain.own);
  const billing = shareOf(remaining(chain.billing), amount, held, card.currency);
  const fee = shareOf(chain.feeHeld, amount, held, card.currency);
  const referenceId = chain.own.reversed.isZero() ? chain.referenceId : newId('reference');
  const released = board.mustRecord(card, {
    type: 'cancel',
    amount,
    currency: chain.currency,
    billingAmount: billing,
    referenceId,
    linkedId: chain.id,
    chain,
    source,
    beside: fee.isZero() ? [] : [holdEntry(card.masterAccountId, 'transfer/settle_fee', fee, referenceId)],
  });
  chain.own.reversed = chain.own.reversed.plus(amount);
  chain.billing.reversed = chain.billing.reversed.plus(billing);
  chain.feeHeld = chain.feeHeld.minus(fee);
  board.keepChain(chain);
  return released;
}

/** An authorization that was neither settled nor cancelled in time. Nothing when it holds nothing, or is not due yet. */
export function expire(board: Board, card: Card, authorizationId: string): CardTransaction | undefined {
  const chain = board.chainById(authorizationId);
  if (!chain || chain.expiresAt > board.book.at || remaining(chain.own).isZero()) return undefined;
  return release(board, card, chain, remaining(chain.own), 'expiry');
}
