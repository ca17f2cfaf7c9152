import { raw } from '../../kernel/db/build';
import type { Sql, Tx } from '../../kernel/db/database';
import { json, recordTable } from '../../kernel/db/record-table';

export type QuoteKind =
  | 'deposit'
  | 'payout'
  | 'iban_payout'
  | 'card_issue'
  | 'card_topup'
  | 'account_exchange';

export interface Quote {
  id: string;
  tenantId: string;
  accountId: string;
  kind: QuoteKind;
  terms: Record<string, unknown>;
  expiresAt: Date;
  /** The record that used the quote. */
  usedBy: string | null;
  createdAt: Date;
}

const quotes = recordTable<Quote>('quotes', { terms: json }, [
  'id',
  'tenantId',
  'accountId',
  'kind',
  'terms',
  'expiresAt',
  'usedBy',
  'createdAt',
]);

/** The row goes with the commit. @returns the quote as it will be read, with amounts as texts */
export function insertQuote(tx: Tx, given: Omit<Quote, 'usedBy'>): Quote {
  tx.defer(quotes().insert(quotes.row(given)));
  return { ...given, terms: JSON.parse(JSON.stringify(given.terms)) as Quote['terms'], usedBy: null };
}

export const findQuote = (sql: Sql, id: string) => quotes.one(sql, quotes().where({ id }));

export const lockRow = (tx: Sql, id: string) => quotes.one(tx, quotes().where({ id }).forNoKeyUpdate());

export function markUsed(tx: Tx, id: string, usedBy: string, at: Date): void {
  tx.defer(quotes().where({ id }).update({ usedBy, usedAt: at }));
}

/** Deletes at most `limit` unused quotes, thirty days after they expired. @returns the number of deleted rows */
export async function deleteUnused(sql: Sql, limit: number): Promise<number> {
  const old = quotes()
    .select('id')
    .whereNull('usedBy')
    .where('expiresAt', '<', raw(`product_now() - interval '30 days'`))
    .orderBy('expiresAt')
    .limit(limit)
    .forUpdate()
    .skipLocked();
  return (await sql.run(quotes().whereIn('id', old).delete('id'))).length;
}
