import { notFound } from '../../../kernel/errors';
import type { Card } from '../../cards/record';
import type { CardTransaction, Message } from '../record';
import type { Board } from './board';
import { coverFromBuffer, returnBuffer } from './funding/buffer';
import { failIssue, fund, issue, returnToZero, topUp, withdraw } from './funding/funding';
import {
  beginClosure,
  close,
  endClosure,
  freeze,
  freezeAsAsked,
  unfreeze,
  unfreezeAsAsked,
} from './lifecycle';
import { judgeNetwork } from './network/network';
import { judgeUnanswered } from './network/unanswered';
import { authorize, declineByProcessor } from './spending/authorize';
import { cancel, expire } from './spending/cancel';
import { refund } from './spending/refund';
import { settle } from './spending/settle';

export interface Judgement {
  card: Card;
  /**
   * The event that the message requested; undefined when it had no effect. Its balances are those after everything that
   * followed.
   */
  transaction: CardTransaction | undefined;
}

/**
 * Judges one message on a board. All rules of card events (decisions part 3) start here. Throws a Problem before any
 * change, or carries out the message with everything that follows from it.
 */
export function judge(board: Board, message: Message): Judgement {
  const card = board.card(message.cardId);
  if (!card || (message.reach !== null && card.tenantId !== message.reach)) throw notFound('card', 'cardId');
  board.actFor(message.idempotencyKey);
  const transaction = act(board, card, message);
  keepInvariants(board, card, transaction);
  return { card, transaction: transaction && { ...transaction, ...balancesOf(board, card) } };
}

function balancesOf({ book }: Board, { id }: Card): Pick<CardTransaction, 'available' | 'pending' | 'spent'> {
  const { available, pending, spent } = book.account(id);
  return { available, pending, spent };
}

function act(board: Board, card: Card, message: Message): CardTransaction | undefined {
  switch (message.type) {
    case 'authorization':
      return authorize(board, card, message);
    case 'settle':
      return settle(board, card, message);
    case 'cancel':
      return cancel(board, card, message);
    case 'refund':
      return refund(board, card, message);
    case 'decline':
      return declineByProcessor(board, card, message);
    case 'network':
      return judgeNetwork(board, card, message);
    case 'unanswered':
      return judgeUnanswered(board, card, message);
    case 'expire':
      return expire(board, card, message.authorizationId);
    case 'issue':
      return issue(board, card, message);
    case 'issue_failed':
      return failIssue(board, card, message);
    case 'topup':
      return topUp(board, card, message.amount);
    case 'fund':
      return fund(board, card, message.funding);
    case 'withdraw':
      return withdraw(board, card, message.amount);
    case 'freeze':
      return freezeAsAsked(board, card, message.reason);
    case 'unfreeze':
      return unfreezeAsAsked(board, card, message.reason);
    case 'close':
      return close(board, card);
    case 'begin_closure':
      return beginClosure(board, card);
    case 'end_closure':
      return endClosure(board, card);
  }
}

/**
 * Restores the invariants after an event. A closed or failed card has neither balance nor buffer. A card below zero has
 * no buffer and is frozen until it is covered. A freeze that the client requested for `insufficient_funds` stays until
 * the card is funded.
 */
function keepInvariants(board: Board, card: Card, follows: CardTransaction | undefined): void {
  if (card.status === 'closed' || card.status === 'failed') {
    returnToZero(board, card, follows);
    returnBuffer(board, card);
    return;
  }
  if (card.status === 'pending') return;
  coverFromBuffer(board, card, follows);
  if (card.status === 'closing') return;
  const below = board.book.account(card.id).available.lt(0);
  const marked = card.freezeReasons.includes('insufficient_funds');
  if (card.insufficientAsked) {
    if (!isFunding(follows)) return;
    card.insufficientAsked = false;
    board.keepCard(card);
  }
  if (below && !marked) freeze(board, card, 'insufficient_funds', follows);
  if (!below && marked) unfreeze(board, card, 'insufficient_funds', follows);
}

/** Whether an event brought money onto the card from its account. */
const isFunding = (event: CardTransaction | undefined): boolean =>
  event?.type === 'issue' || (event?.type === 'topup' && event.source === null);
