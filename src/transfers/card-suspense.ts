import { move } from '../accounts/accounts/move';
import { requireCard, requireLockedCard } from '../cards/cards/operations';
import type { Card } from '../cards/cards/record';
import { CARD_SUSPENSE } from '../cards/events/load-board';
import { type CardSuspense, findCardSuspense, saveCardSuspense } from '../cards/events/suspense';
import type { Sql, Tx } from '../kernel/db/database';
import { conflict, invalid } from '../kernel/errors';
import { newId } from '../kernel/ids';
import { accountEntry, internalEntry } from '../kernel/ledger/entries';
import { type Decimal, formatAmount } from '../kernel/money/money';
import { assertFits } from '../kernel/wire/schemas';
import { closeBreaksOf } from '../process/breaks/operations';
import type { SuspenseItem } from './engine/read';
import { accountFor, type Resolve } from './suspense';

/** Lists the money of a closed card in suspense (decisions part 4, Users and accounts). @throws Problem 404 */
export async function suspenseOfCard(sql: Sql, cardId: string): Promise<SuspenseItem[]> {
  const card = await requireCard(sql, null, cardId);
  const found = await findCardSuspense(sql, cardId);
  if (!found) return [];
  const { tenantId, accountId, status, currency } = card;
  const { amount, since } = found;
  return [{ transferId: cardId, kind: 'card', tenantId, accountId, status, currency, amount, since }];
}

type CardResolution = Omit<Resolve, 'decidedBy' | 'reason'>;

/** Previews {@link resolveCardSuspense}. Moves nothing. @throws Problem as {@link resolveCardSuspense} */
export async function weighCardResolution(tx: Tx, given: CardResolution) {
  const { card, amount } = await judged(tx, given);
  return { amount, currency: card.currency, tenantId: card.tenantId };
}

/**
 * Takes money of a closed card out of suspense, to an account or to losses.
 * @throws Problem 404; 400 naming the field; 409 `invalid_transition` for another resolution or where nothing is left,
 * `limit_exceeded`, `account_closed`
 */
export async function resolveCardSuspense(
  tx: Tx,
  given: CardResolution,
  at: Date,
): Promise<{ tenantId: string }> {
  const { card, amount, left, accountId } = await judged(tx, given);
  const { id, currency } = card;
  const reference = newId('reference');
  const taken = internalEntry('suspense', currency, amount.negated(), reference);
  const received =
    accountId === null
      ? internalEntry('losses', currency, amount, reference)
      : accountEntry(accountId, 'transfer/card_closed_refund', amount, reference);
  await saveCardSuspense(tx, id, left.amount.minus(amount));
  if (left.amount.eq(amount)) await closeBreaksOf(tx, { subject: id, kinds: [CARD_SUSPENSE], at });
  await move(tx, { entries: [received, taken] }, {});
  return { tenantId: card.tenantId };
}

interface Judged {
  card: Card;
  amount: Decimal;
  left: CardSuspense;
  /** Null: to losses. */
  accountId: string | null;
}

async function judged(tx: Tx, given: CardResolution): Promise<Judged> {
  const card = await requireLockedCard(tx, given.transferId);
  const { currency } = card;
  if (given.resolution !== 'credit' && given.resolution !== 'write_off')
    throw conflict('invalid_transition', 'Suspense of a card can only be credited or written off.');
  const left = await findCardSuspense(tx, card.id);
  if (!left) throw conflict('invalid_transition', 'The card has no money in suspense.');
  const amount = given.amount ?? left.amount;
  assertFits(amount, currency);
  if (!amount.gt(0)) throw invalid('amount must be greater than zero.', 'amount');
  if (amount.gt(left.amount))
    throw conflict(
      'limit_exceeded',
      `At most ${formatAmount(left.amount, currency)} ${currency} is left.`,
      'amount',
    );
  const accountId = given.resolution === 'credit' ? await accountFor(tx, given, currency) : null;
  return { card, amount, left, accountId };
}
