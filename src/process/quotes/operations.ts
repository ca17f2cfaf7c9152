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
  /** The offer, stored as JSON with amounts as decimal strings. */
  terms: Quote['terms'];
  ttlSeconds: number;
  at: Date;
}

/** Stores a price that holds until it expires or is used. */
export function createQuote(tx: Tx, { ttlSeconds, at, ...given }: NewQuote): Quote {
  const expiresAt = new Date(at.getTime() + ttlSeconds * 1000);
  return insertQuote(tx, { id: newId('quote'), ...given, expiresAt, createdAt: at });
}

export interface QuoteAsked {
  tenantId: string;
  accountId: string;
  quoteId: string;
  kind: QuoteKind;
}

/** A quote whose row is locked until the end of the transaction, even if it is used or expired. */
export interface LockedQuote extends Quote {
  readonly locked: true;
}

/**
 * Locks a quote, so that the caller can check it before taking it. Concurrent calls wait for each other.
 * @throws Problem 404 with `field: quoteId`, also for another account's quote or another kind
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
 * Uses a quote for a record.
 * @param taken.usedBy the record's id
 * @throws Problem 409 `quote_used`, `quote_expired`
 */
export function takeQuote(tx: Tx, quote: LockedQuote, { usedBy, at }: { usedBy: string; at: Date }): void {
  if (quote.usedBy !== null) throw conflict('quote_used', 'The quote has been used.', 'quoteId');
  if (quote.expiresAt <= at) throw conflict('quote_expired', 'The quote has expired.', 'quoteId');
  markUsed(tx, quote.id, usedBy, at);
}

/**
 * Deletes unused quotes a month after they expired. A later use gets a 404. Used quotes stay with their records.
 * @returns the number of deleted rows
 */
export const forgetUnusedQuotes = (database: Database): Promise<number> => inPortions(database, deleteUnused);
