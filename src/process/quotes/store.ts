import type { Sql } from '../../kernel/db/database';

export type QuoteKind = 'deposit' | 'payout' | 'iban_payout';

export interface Quote {
  id: string;
  tenantId: string;
  accountId: string;
  kind: QuoteKind;
  terms: Record<string, unknown>;
  expiresAt: Date;
  /** The record that took it. */
  usedBy: string | null;
}

const COLUMNS = `id, tenant_id as "tenantId", account_id as "accountId", kind, terms, expires_at as "expiresAt",
  used_by as "usedBy"`;

export async function insertQuote(tx: Sql, quote: Omit<Quote, 'usedBy'> & { at: Date }): Promise<Quote> {
  const [row] = await tx.query<Quote>(
    `insert into quotes (id, tenant_id, account_id, kind, terms, expires_at, created_at)
     values ($1, $2, $3, $4, $5, $6, $7) returning ${COLUMNS}`,
    [
      quote.id,
      quote.tenantId,
      quote.accountId,
      quote.kind,
      JSON.stringify(quote.terms),
      quote.expiresAt,
      quote.at,
    ],
  );
  return row as Quote;
}

/** Holds the row to the end of the transaction. */
export async function lockQuote(tx: Sql, id: string): Promise<Quote | undefined> {
  const [row] = await tx.query<Quote>(`select ${COLUMNS} from quotes where id = $1 for no key update`, [id]);
  return row;
}

export async function markUsed(tx: Sql, id: string, usedBy: string, at: Date): Promise<void> {
  await tx.query('update quotes set used_by = $2, used_at = $3 where id = $1', [id, usedBy, at]);
}
