import { z } from 'zod';
import type { Sql } from '../../kernel/db/database';
import { notFound } from '../../kernel/errors';
import { CARD_EFFECTS } from '../../kernel/ledger/effects';
import { type Decimal, ZERO } from '../../kernel/money/money';
import {
  foreignCursor,
  type Page,
  type Position,
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

/** Filters of the history of cards. */
export const historyQuery = z.object({
  ...pageQuery,
  type: z.enum(Object.keys(CARD_EFFECTS) as [string, ...string[]]).optional(),
  currency: currency().optional().describe('The `transactionCurrency`.'),
});

/** The transactions of those cards, merged, newest first; without cards nothing. @throws Problem 400 for a foreign cursor */
export async function historyPage(
  sql: Sql,
  cardIds: string[],
  query: z.output<typeof historyQuery>,
): Promise<Page<ReturnType<typeof cardTransactionView>>> {
  const after = historyPositionOf(query.cursor, cardIds);
  const rows = await listOfCards(sql, cardIds, query, after, query.limit + 1);
  return pageOf(rows, query.limit, historyPosition, cardTransactionView);
}

/** A card transaction with the counters of its authorization and the whole chain. @throws Problem 404 */
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

/** The card transactions of a reference, as the wire shows them. */
export const transactionsByReference = async (sql: Sql, reference: string) =>
  (await transactionsOfReference(sql, reference)).map(cardTransactionView);

/** The authorization that was recorded under a reference; nothing where none was. */
export async function authorizedUnder(
  sql: Sql,
  reference: string | undefined,
): Promise<CardTransaction | undefined> {
  const found = reference === undefined ? [] : await transactionsOfReference(sql, reference);
  return found.find(({ type }) => type === 'authorization');
}

/**
 * What of an authorization's chain was cancelled from a moment on, in its currency, but for what was declined without an answer:
 * each of these is released for itself.
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

/** Where a page of card transactions ended. */
const historyPosition = (transaction: CardTransaction): Position => [
  transaction.at.toISOString(),
  String(transaction.number),
  transaction.cardId,
];
const POSITION = z.tuple([positionPart.instant(), positionPart.number(), positionPart.id('card')]);

/** @throws Problem 400 when the cursor is not one of a history of these cards */
function historyPositionOf(cursor: string | undefined, cardIds: string[]): Position | undefined {
  const position = positionOf(cursor, POSITION);
  if (position && !cardIds.includes(position[2])) throw foreignCursor();
  return position;
}
