import type { Tx } from '../../kernel/db/database';
import { conflict, notFound } from '../../kernel/errors';
import { isId, newId } from '../../kernel/ids';
import { insertQuote, lockQuote, markUsed, type Quote, type QuoteKind } from './store';

export type { Quote, QuoteKind } from './store';

export interface NewQuote {
  tenantId: string;
  accountId: string;
  kind: QuoteKind;
  /** What was offered, as JSON: amounts as decimal strings. */
  terms: Record<string, unknown>;
  ttlSeconds: number;
  at: Date;
}

/** Keeps a price that stands until its time has passed or it is taken. */
export function createQuote(tx: Tx, { ttlSeconds, at, ...given }: NewQuote): Promise<Quote> {
  const expiresAt = new Date(at.getTime() + ttlSeconds * 1000);
  return insertQuote(tx, { id: newId('quote'), ...given, expiresAt, at });
}

export interface TakeQuote {
  tenantId: string;
  accountId: string;
  quoteId: string;
  kind: QuoteKind;
  /** The record that is made of it. */
  usedBy: string;
  at: Date;
}

/**
 * A quote, held to the end of the transaction, whether or not it can still be taken: for what must be checked first.
 * @throws Problem 404 with `field: quoteId`, also for another account's or kind's
 */
export async function requireQuote(tx: Tx, given: Omit<TakeQuote, 'usedBy' | 'at'>): Promise<Quote> {
  const quote = isId('quote', given.quoteId) ? await lockQuote(tx, given.quoteId) : undefined;
  if (!quote || !isOf(quote, given)) throw notFound('quote', 'quoteId');
  return quote;
}

/**
 * Takes a quote for the record that is made of it. Of many who take one at once, one gets it: its row is locked.
 * @throws Problem 404 with `field: quoteId`, also for another account's or kind's; 409 `quote_used`, `quote_expired`
 */
export async function takeQuote(tx: Tx, given: TakeQuote): Promise<Quote> {
  const quote = await requireQuote(tx, given);
  if (quote.usedBy !== null) throw conflict('quote_used', 'The quote has been used.', 'quoteId');
  if (quote.expiresAt <= given.at) throw conflict('quote_expired', 'The quote has expired.', 'quoteId');
  await markUsed(tx, quote.id, given.usedBy, given.at);
  return { ...quote, usedBy: given.usedBy };
}

function isOf(quote: Quote, { tenantId, accountId, kind }: Omit<TakeQuote, 'usedBy' | 'at'>): boolean {
  return quote.tenantId === tenantId && quote.accountId === accountId && quote.kind === kind;
}
