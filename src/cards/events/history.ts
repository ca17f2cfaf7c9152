import { z } from 'zod';
import type { Sql } from '../../kernel/db/database';
import { notFound } from '../../kernel/errors';
import { CARD_EFFECTS } from '../../kernel/ledger/effects';
import { type Decimal, ZERO } from '../../kernel/money/money';
import {
  foreignCursor,
  type Page,
  pageOf,
  pageQuery,
  positionOf,
  positionPart,
} from '../../kernel/wire/pages';
import { currency } from '../../kernel/wire/schemas';
import { readAuthorizations } from './authorization-store';
import type { CardTransaction } from './record';
import {
  eventsOfAuthorization,
  findCardTransaction,
  listOfCards,
  transactionsOfReference,
} from './transaction-store';
import { authorizationView, cardTransactionView } from './view';

export { countByHour } from './transaction-store';

/** Filters of the history of cards. */
export const historyQuery = z.object({
  ...pageQuery,
  type: z.enum(Object.keys(CARD_EFFECTS) as [string, ...string[]]).optional(),
  currency: currency().optional().describe('Filters by `transactionCurrency`.'),
});

/** The transactions of some cards, merged, newest first. @throws Problem 400 for a cursor of other cards */
export async function historyPage(
  sql: Sql,
  cardIds: string[],
  query: z.output<typeof historyQuery>,
): Promise<Page<ReturnType<typeof cardTransactionView>>> {
  const after = historyPositionOf(query.cursor, cardIds);
  const rows = await listOfCards(sql, cardIds, query, after, query.limit + 1);
  return pageOf(rows, query.limit, historyPosition, cardTransactionView);
}

/** A card transaction with its authorization and all events of the authorization. @throws Problem 404 */
export async function transactionWithChain(sql: Sql, reach: string | null, id: string) {
  const transaction = await findCardTransaction(sql, reach, id);
  if (!transaction) throw notFound('transaction');
  const shown = cardTransactionView(transaction);
  const { authorizationId, cardId } = transaction;
  if (!authorizationId) return shown;
  const [[found], events] = await Promise.all([
    readAuthorizations(sql, [cardId], [], [authorizationId]),
    eventsOfAuthorization(sql, authorizationId),
  ]);
  return {
    ...shown,
    authorization: found && authorizationView(found.authorization),
    chain: events.map(cardTransactionView),
  };
}

/** Card transactions with a reference, on the wire. */
export const transactionsByReference = async (sql: Sql, reference: string) =>
  (await transactionsOfReference(sql, reference)).map(cardTransactionView);

/** The authorization event under a reference; undefined when there is none. */
export async function authorizedUnder(
  sql: Sql,
  reference: string | undefined,
): Promise<CardTransaction | undefined> {
  const found = reference === undefined ? [] : await transactionsOfReference(sql, reference);
  return found.find(({ type }) => type === 'authorization');
}

/**
 * The amount of an authorization's chain that was cancelled since a moment, in its currency. Leaves out releases after
 * unanswered declines, because each of them is released on its own.
 */
export async function cancelledSince(
  sql: Sql,
  { authorizationId }: CardTransaction,
  from: Date,
): Promise<Decimal> {
  const events = authorizationId === null ? [] : await eventsOfAuthorization(sql, authorizationId);
  return events
    .filter(({ type, source, at }) => type === 'cancel' && source !== 'unanswered' && at >= from)
    .reduce((sum, { amount }) => sum.plus(amount), ZERO);
}

/** The cursor of a card transaction. */
const historyPosition = (transaction: CardTransaction) => [
  transaction.at.toISOString(),
  String(transaction.number),
  transaction.cardId,
];
const POSITION = z.tuple([positionPart.instant(), positionPart.number(), positionPart.id('card')]);

/** @throws Problem 400 for a cursor of other cards */
function historyPositionOf(cursor: string | undefined, cardIds: string[]) {
  const position = positionOf(cursor, POSITION);
  if (position && !cardIds.includes(position[2])) throw foreignCursor();
  return position;
}
