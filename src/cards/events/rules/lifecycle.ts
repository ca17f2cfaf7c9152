import { conflict } from '../../../kernel/errors';
import { newId } from '../../../kernel/ids';
import { ZERO } from '../../../kernel/money/money';
import type { Card, FreezeReason } from '../../cards/record';
import { isClosed, isFundable, notUsable, withReason } from '../../cards/rules';
import type { CardTransaction } from '../record';
import { accepted, type Board } from './board';
import { bufferRefund } from './funding/buffer';
import { returnToZero } from './funding/funding';
import { transition } from './transition';

/**
 * Freezes a card for the client. `insufficient_funds` then stays until it is removed or the card is funded.
 * @throws Problem 409
 */
export function freezeAsAsked(board: Board, card: Card, reason: FreezeReason) {
  const frozen = freeze(board, card, reason);
  if (reason !== 'insufficient_funds') return frozen;
  card.insufficientAsked = true;
  board.keepCard(card);
  return frozen;
}

/** Removes a client's reason. @throws Problem 409 `invalid_transition` for a card below zero, and as `unfreeze` */
export function unfreezeAsAsked(board: Board, card: Card, reason: FreezeReason) {
  if (reason === 'insufficient_funds' && board.book.account(card.id).available.lt(0))
    throw conflict('invalid_transition', 'The card is below zero. It is unfrozen when it is funded.');
  return unfreeze(board, card, reason);
}

/** Adds a reason. The first reason freezes the card and records an event. @throws Problem 409 */
export function freeze(board: Board, card: Card, reason: FreezeReason, follows?: CardTransaction) {
  if (!isFundable(card.status)) throw notUsable(card);
  if (card.freezeReasons.includes(reason)) return undefined;
  const frozen = card.freezeReasons.length > 0;
  card.freezeReasons = withReason(card.freezeReasons, reason);
  board.keepCard(card);
  if (frozen) return undefined;
  transition(board, card, 'freeze');
  return accepted(board.record(card, stateEvent(card, 'freeze', follows)));
}

/** Removes a reason. Removing the last one unfreezes the card and records an event. @throws Problem 409 */
export function unfreeze(board: Board, card: Card, reason: FreezeReason, follows?: CardTransaction) {
  if (!isFundable(card.status)) throw notUsable(card);
  if (!card.freezeReasons.includes(reason)) return undefined;
  card.freezeReasons = card.freezeReasons.filter((each) => each !== reason);
  if (reason === 'insufficient_funds') card.insufficientAsked = false;
  board.keepCard(card);
  if (card.freezeReasons.length > 0) return undefined;
  transition(board, card, 'unfreeze');
  return accepted(board.record(card, stateEvent(card, 'unfreeze', follows)));
}

/**
 * Closes a card at once. Its balance and its buffer return to its account. Does nothing to a closed or closing card.
 * @throws Problem 409 for a pending or failed card
 */
export function close(board: Board, card: Card): CardTransaction | undefined {
  if (isClosed(card.status)) return undefined;
  if (!isFundable(card.status)) throw notUsable(card);
  return closeNow(board, card);
}

/** Begins the closure of a card. The card declines, and is closed when the processor confirms. @throws Problem 409 */
export function beginClosure(board: Board, card: Card): undefined {
  if (!isFundable(card.status)) throw notUsable(card);
  transition(board, card, 'begin_closure');
  clearReasons(card);
  return undefined;
}

/** Closes a closing card, after the processor's confirmation. */
export const endClosure = (board: Board, card: Card): CardTransaction | undefined =>
  card.status === 'closing' ? closeNow(board, card) : undefined;

function closeNow(board: Board, card: Card): CardTransaction {
  const emptied = returnToZero(board, card);
  transition(board, card, 'close');
  clearReasons(card);
  const closed = stateEvent(card, 'close', emptied);
  return accepted(
    board.record(card, { ...closed, accountEntries: bufferRefund(board, card, closed.referenceId) }),
  );
}

function clearReasons(card: Card): void {
  card.freezeReasons = [];
  card.insufficientAsked = false;
}

function stateEvent(card: Card, type: 'freeze' | 'unfreeze' | 'close', follows?: CardTransaction) {
  const referenceId = newId('reference');
  return {
    type,
    amount: ZERO,
    currency: card.currency,
    billingAmount: ZERO,
    referenceId,
    linkedId: follows?.id ?? null,
  };
}
