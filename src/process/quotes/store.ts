import { raw, table } from '../../kernel/db/build';
import type { Sql, Tx } from '../../kernel/db/database';

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
}

const COLUMNS = ['id', 'tenantId', 'accountId', 'kind', 'terms', 'expiresAt', 'usedBy'];

const quotes = () => table('quotes');

export async function insertQuote(
  tx: Sql,
  { terms, at, ...given }: Omit<Quote, 'terms' | 'usedBy'> & { terms: object; at: Date },
): Promise<Quote> {
  const row = { ...given, terms: JSON.stringify(terms), createdAt: at };
  const [quote] = await tx.run<Quote>(quotes().insert(row).returning(COLUMNS));
  return quote as Quote;
}

export async function findQuote(sql: Sql, id: string): Promise<(Quote & { createdAt: Date }) | undefined> {
  const [quote] = await sql.run<Quote & { createdAt: Date }>(
    quotes()
      .select([...COLUMNS, 'createdAt'])
      .where({ id }),
  );
  return quote;
}

export async function lockRow(tx: Sql, id: string): Promise<Quote | undefined> {
  const [quote] = await tx.run<Quote>(quotes().select(COLUMNS).where({ id }).forNoKeyUpdate());
  return quote;
}

export function markUsed(tx: Tx, id: string, usedBy: string, at: Date): void {
  tx.defer(quotes().where({ id }).update({ usedBy, usedAt: at }));
}

/** Deletes at most `limit` unused quotes, thirty days after they expired. @returns the number of deleted rows */
export async function deleteUnused(sql: Sql, limit: number): Promise<number> {
  const old = quotes()
    .select('id')
    .whereNull('usedBy')
    .where('expiresAt', '<', raw(`clock_timestamp() - interval '30 days'`))
    .orderBy('expiresAt')
    .limit(limit)
    .forUpdate()
    .skipLocked();
  return (await sql.run(quotes().whereIn('id', old).delete('id'))).length;
}
