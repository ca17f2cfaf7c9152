import { conflict, notFound } from '../../../../kernel/errors';
import type { Decimal } from '../../../../kernel/money/money';
import type { Card } from '../../../cards/record';
import {
  type Authorization,
  type CardTransaction,
  type EventSource,
  type ProcessorMessage,
  remaining,
} from '../../record';
import { accepted, type Board } from '../board';
import { settleFeeHold } from '../fee-entries';
import { returnDrawn } from '../funding/buffer';
import { partOfHeld, recordOn } from './authorization';
import { currencyOfMessage } from './conversion';

/**
 * Releases part of an authorization's hold; without an amount, all of it.
 * @throws Problem 404 for an unknown authorization, 409 when it holds less (`limit_exceeded`) or nothing
 * (`invalid_transition`)
 */
export function cancel(board: Board, card: Card, message: ProcessorMessage): CardTransaction {
  const authorization = board.authorization(card.id, message.referenceId);
  if (!authorization) throw notFound('authorization', 'referenceId');
  currencyOfMessage(message, authorization, card.currency);
  const held = remaining(authorization.own);
  if (held.isZero()) throw conflict('invalid_transition', 'This authorization holds nothing any more.');
  const amount = message.amount ?? held;
  if (amount.gt(held))
    throw conflict('limit_exceeded', 'The amount is greater than the held amount.', 'amount');
  return release(board, card, authorization, amount);
}

/** Releases part of a hold with its share of the held settle fee, and returns drawn money to the buffer. */
export function release(
  board: Board,
  card: Card,
  authorization: Authorization,
  amount: Decimal,
  source?: EventSource,
): CardTransaction {
  const { event, fee } = partOfHeld(authorization, 'cancel', amount);
  const accountEntries = settleFeeHold(card, 'transfer/settle_fee', fee, event.referenceId);
  const released = accepted(recordOn(board, card, { ...event, source, accountEntries }, fee.negated()));
  returnDrawn(board, card, authorization, released);
  return released;
}

/**
 * Releases an authorization that was neither settled nor cancelled in time. Does nothing when it holds nothing or is
 * still valid.
 */
export function expire(board: Board, card: Card, authorizationId: string): CardTransaction | undefined {
  const authorization = board.authorizationById(authorizationId);
  if (!authorization || authorization.expiresAt > board.book.at) return undefined;
  const held = remaining(authorization.own);
  return held.isZero() ? undefined : release(board, card, authorization, held, 'expiry');
}
