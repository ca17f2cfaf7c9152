import type { Database, Tx } from '../../kernel/db/database';
import { inPortions } from '../../kernel/db/portions';
import { conflict, notFound } from '../../kernel/errors';
import { isId, newId } from '../../kernel/ids';
import { deleteUnused, insertQuote, lockRow, markUsed, type Quote, type QuoteKind } from './store';

export { findQuote, type Quote, type QuoteKind } from './store';

export interface NewQuote {
  tenantId: string;
  accountId: string;
  kind: QuoteKind;
  /** What was offered: kept as JSON, amounts as decimal strings. */
  terms: object;
  ttlSeconds: number;
  at: Date;
}

/** Keeps a price that stands until its time has passed or it is taken. */
export function createQuote(tx: Tx, { ttlSeconds, at, ...given }: NewQuote): Promise<Quote> {
  const expiresAt = new Date(at.getTime() + ttlSeconds * 1000);
  return insertQuote(tx, { id: newId('quote'), ...given, expiresAt, at });
}

export interface QuoteAsked {
  tenantId: string;
  accountId: string;
  quoteId: string;
  kind: QuoteKind;
}

/** A quote whose row is locked to the end of the transaction, whether or not it can still be taken. */
export interface LockedQuote extends Quote {
  readonly locked: true;
}

/**
 * Locks a quote, so that what must be checked before it is taken can be: of many who lock one at once, one goes on.
 * @throws Problem 404 with `field: quoteId`, also for another account's or kind's
 */
export async function lockQuote(tx: Tx, asked: QuoteAsked): Promise<LockedQuote> {
  const quote = isId('quote', asked.quoteId) ? await lockRow(tx, asked.quoteId) : undefined;
  if (!quote || !isOf(quote, asked)) throw notFound('quote', 'quoteId');
  return { ...quote, locked: true };
}

function isOf(quote: Quote, { tenantId, accountId, kind }: QuoteAsked): boolean {
  return quote.tenantId === tenantId && quote.accountId === accountId && quote.kind === kind;
}

/**
 * Takes a quote for the record that is made of it.
 * @param taken.usedBy the record's id
 * @throws Problem 409 `quote_used`, `quote_expired`
 */
export function takeQuote(tx: Tx, quote: LockedQuote, { usedBy, at }: { usedBy: string; at: Date }): void {
  if (quote.usedBy !== null) throw conflict('quote_used', 'The quote has been used.', 'quoteId');
  if (quote.expiresAt <= at) throw conflict('quote_expired', 'The quote has expired.', 'quoteId');
  markUsed(tx, quote.id, usedBy, at);
}

/**
 * Forgets quotes that nobody has taken: a month after their end whoever still asks for one is told that there is none. Those
 * that were taken belong to their records.
 * @returns how many
 */
export const forgetUnusedQuotes = (database: Database): Promise<number> => inPortions(database, deleteUnused);
