import { newId } from '../../../../kernel/ids';
import { accountEntry, bufferEntry, type Entry } from '../../../../kernel/ledger/entries';
import { type Decimal, maxOf, minOf, ZERO } from '../../../../kernel/money/money';
import type { Card } from '../../../cards/record';
import type { Authorization, CardTransaction } from '../../record';
import { accepted, type Board } from '../board';
import { toOwner } from './to-owner';
import { topupEvent } from './topup-event';

/**
 * The amount that is set aside for forced settlements of a card, and for nothing else (decisions part 4, Buffered
 * cards).
 */
export const bufferOf = ({ book }: Board, { bufferAccountId }: Card): Decimal =>
  bufferAccountId === null ? ZERO : book.account(bufferAccountId).available;

/** Entries that set an amount aside from the card's account; none for zero. */
export function bufferDeposit(card: Card, amount: Decimal, referenceId: string): Entry[] {
  if (amount.isZero()) return [];
  return [
    accountEntry(card.accountId, 'transfer/card_buffer_deposit', amount, referenceId),
    bufferEntry(accountOf(card), amount, referenceId),
  ];
}

/** Entries that return the whole buffer to the card's owner; none for an empty buffer. */
export function bufferRefund(board: Board, card: Card, referenceId: string): Entry[] {
  const amount = bufferOf(board, card);
  if (amount.isZero()) return [];
  return [
    toOwner(card, 'transfer/card_buffer_refund', amount, referenceId),
    bufferEntry(accountOf(card), amount.negated(), referenceId),
  ];
}

/** Returns the buffer of a closed card, because a closed card keeps none. */
export function returnBuffer(board: Board, card: Card): void {
  const entries = bufferRefund(board, card, newId('reference'));
  if (entries.length > 0) board.postToAccounts(card, entries);
}

/** Draws from the buffer before a forced event, at most what the buffer has. @returns the drawn amount */
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
 * Returns drawn money to the buffer after a release, as far as the card stays at zero or above. The release of a closed
 * or failed card goes to its account, because the card has no buffer.
 * @param released the `cancel` event
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

/** Pays the debt of a card below zero from its buffer. */
export function coverFromBuffer(board: Board, card: Card, follows: CardTransaction | undefined): void {
  const { available } = board.book.account(card.id);
  if (available.lt(0)) drawBuffer(board, card, available.negated(), follows?.id);
}

function accountOf({ id, bufferAccountId }: Card): string {
  if (bufferAccountId === null) throw new Error(`${id} has no account for a buffer`);
  return bufferAccountId;
}
