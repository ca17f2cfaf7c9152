import { newId } from '../../../kernel/ids';
import { accountEntry, bufferEntry, type Entry } from '../../../kernel/ledger/entries';
import { type Decimal, maxOf, minOf, ZERO } from '../../../kernel/money/money';
import type { Card } from '../../cards/record';
import type { Authorization, CardTransaction } from '../record';
import { accepted, type Board } from './board';
import { toOwner } from './to-owner';
import { topupEvent } from './topup-event';

/** What is set aside of a card for forced settlements, and for nothing else (decisions part 4, Buffered cards). */
export const bufferOf = ({ book }: Board, { bufferAccountId }: Card): Decimal =>
  bufferAccountId === null ? ZERO : book.account(bufferAccountId).available;

/** Set aside out of the card's account; nothing where it is zero. */
export function bufferDeposit(card: Card, amount: Decimal, referenceId: string): Entry[] {
  if (amount.isZero()) return [];
  return [
    accountEntry(card.accountId, 'transfer/card_buffer_deposit', amount, referenceId),
    bufferEntry(accountOf(card), amount, referenceId),
  ];
}

/** Returns the whole buffer to the card's owner; nothing where the buffer is empty. */
export function bufferRefund(board: Board, card: Card, referenceId: string): Entry[] {
  const amount = bufferOf(board, card);
  if (amount.isZero()) return [];
  return [
    toOwner(card, 'transfer/card_buffer_refund', amount, referenceId),
    bufferEntry(accountOf(card), amount.negated(), referenceId),
  ];
}

/** Of a closed card, which keeps none. */
export function returnBuffer(board: Board, card: Card): void {
  const entries = bufferRefund(board, card, newId('reference'));
  if (entries.length > 0) board.postToAccounts(card, entries);
}

/** Draws for a forced event as much as the buffer has, before the event. @returns the drawn amount */
export function drawBuffer(board: Board, card: Card, wanted: Decimal, linkedId?: string | null): Decimal {
  const amount = minOf(wanted, bufferOf(board, card));
  if (!amount.gt(0)) return ZERO;
  const referenceId = newId('reference');
  accepted(
    board.record(card, {
      ...topupEvent(card, amount, referenceId),
      source: 'buffer',
      linkedId: linkedId ?? null,
      accountEntries: [bufferEntry(accountOf(card), amount.negated(), referenceId)],
    }),
  );
  return amount;
}

/**
 * Fills the buffer that the chain of a released hold has drawn from, so far as the card stands above zero. A card that has
 * ended has no buffer, so its released money goes to its account.
 * @param released the `cancel`
 */
export function returnDrawn(
  board: Board,
  card: Card,
  authorization: Authorization,
  released: CardTransaction,
): void {
  if (authorization.bufferDrawn.isZero() || card.status === 'closed' || card.status === 'failed') return;
  const { available } = board.book.account(card.id);
  const amount = minOf(minOf(released.billingAmount, authorization.bufferDrawn), maxOf(ZERO, available));
  if (amount.isZero()) return;
  const referenceId = newId('reference');
  accepted(
    board.record(card, {
      type: 'withdraw',
      amount,
      currency: card.currency,
      billingAmount: amount,
      referenceId,
      source: 'buffer',
      linkedId: released.id,
      accountEntries: [bufferEntry(accountOf(card), amount, referenceId)],
    }),
  );
  authorization.bufferDrawn = authorization.bufferDrawn.minus(amount);
  board.keepAuthorization(authorization);
}

/** A card below zero has nothing set aside: what it owes is paid first. */
export function coverFromBuffer(board: Board, card: Card, follows: CardTransaction | undefined): void {
  const { available } = board.book.account(card.id);
  if (available.lt(0)) drawBuffer(board, card, available.negated(), follows?.id);
}

function accountOf({ id, bufferAccountId }: Card): string {
  if (bufferAccountId === null) throw new Error(`${id} has no account for a buffer`);
  return bufferAccountId;
}
