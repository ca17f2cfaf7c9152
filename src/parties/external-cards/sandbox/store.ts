import type { Sql } from '../../../kernel/db/database';
import { Decimal } from '../../../kernel/money/money';

/** A charge or a push as the sandbox's acquirer keeps it. */
export interface SandboxCardOrder {
  key: string;
  kind: 'charge' | 'push';
  token: string;
  amount: Decimal;
  currency: string;
  merchant: string;
  returnUrl: string | null;
  callbackUrl: string;
  /** The secret part of the address of its page. */
  page: string;
  expiresAt: Date;
  firstAskedAt: Date;
  calls: number;
  /** When the order was taken. */
  acceptedAt: Date | null;
  confirmedAt: Date | null;
  refusedAt: Date | null;
}

type Row = Omit<SandboxCardOrder, 'amount'> & { amount: string };

const COLUMNS = `key, kind, token, amount, currency, merchant, return_url as "returnUrl", callback_url as "callbackUrl",
  page, expires_at as "expiresAt", first_asked_at as "firstAskedAt", calls, accepted_at as "acceptedAt",
  confirmed_at as "confirmedAt", refused_at as "refusedAt"`;

const orderOf = (row: Row): SandboxCardOrder => ({ ...row, amount: new Decimal(row.amount) });

export type NewOrder = Omit<
  SandboxCardOrder,
  'firstAskedAt' | 'calls' | 'acceptedAt' | 'confirmedAt' | 'refusedAt'
>;

/** The order of that key, locked; noted at the first call. */
export async function lockOrder(tx: Sql, given: NewOrder, at: Date): Promise<SandboxCardOrder> {
  await tx.query(
    `insert into sandbox_external_cards (key, kind, token, amount, currency, merchant, return_url, callback_url, page,
            expires_at, first_asked_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) on conflict (key) do nothing`,
    [
      ...[given.key, given.kind, given.token, given.amount.toFixed(), given.currency, given.merchant],
      ...[given.returnUrl, given.callbackUrl, given.page, given.expiresAt, at],
    ],
  );
  const [row] = await tx.query<Row>(
    `select ${COLUMNS} from sandbox_external_cards where key = $1 for update`,
    [given.key],
  );
  return orderOf(row as Row);
}

export async function findOrder(sql: Sql, key: string): Promise<SandboxCardOrder | undefined> {
  const [row] = await sql.query<Row>(`select ${COLUMNS} from sandbox_external_cards where key = $1`, [key]);
  return row && orderOf(row);
}

export async function findByPage(sql: Sql, page: string): Promise<SandboxCardOrder | undefined> {
  const [row] = await sql.query<Row>(`select ${COLUMNS} from sandbox_external_cards where page = $1`, [page]);
  return row && orderOf(row);
}

/** @param acceptedAt null where the order was not taken */
export async function noteCall(tx: Sql, key: string, acceptedAt: Date | null): Promise<void> {
  await tx.query(
    `update sandbox_external_cards set calls = calls + 1, accepted_at = coalesce(accepted_at, $2) where key = $1`,
    [key, acceptedAt],
  );
}

/** The payer's decision on the page. The first one counts. @returns false when there was one, or time has run out */
export async function decide(
  sql: Sql,
  page: string,
  decision: 'confirm' | 'refuse',
  at: Date,
): Promise<boolean> {
  const column = decision === 'confirm' ? 'confirmed_at' : 'refused_at';
  const rows = await sql.query(
    `update sandbox_external_cards set ${column} = $2
      where page = $1 and confirmed_at is null and refused_at is null and expires_at > $2 returning key`,
    [page, at],
  );
  return rows.length === 1;
}
