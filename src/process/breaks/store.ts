import type { Sql } from '../../kernel/db/database';
import { Decimal, formatAmount } from '../../kernel/money/money';

export interface Break {
  id: string;
  tenantId: string | null;
  kind: string;
  subject: string;
  detail: string;
  amount: Decimal | null;
  currency: string | null;
  createdAt: Date;
  resolvedAt: Date | null;
  resolvedBy: string | null;
  note: string | null;
}

type Row = Omit<Break, 'amount'> & { amount: string | null };

const COLUMNS = `id, tenant_id as "tenantId", kind, subject, detail, amount, currency, created_at as "createdAt",
  resolved_at as "resolvedAt", resolved_by as "resolvedBy", note`;

const breakOf = (row: Row): Break => ({
  ...row,
  amount: row.amount === null ? null : new Decimal(row.amount),
});

export async function insertBreak(
  tx: Sql,
  given: {
    id: string;
    tenantId: string | null;
    kind: string;
    subject: string;
    detail: string;
    amount?: Decimal;
    currency?: string;
  },
): Promise<Break> {
  // The update changes nothing: it makes the one that exists come back.
  const [row] = await tx.query<Row>(
    `insert into breaks (id, tenant_id, kind, subject, detail, amount, currency) values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (kind, subject, detail) do update set detail = excluded.detail returning ${COLUMNS}`,
    [
      given.id,
      given.tenantId,
      given.kind,
      given.subject,
      given.detail,
      given.amount?.toFixed(),
      given.currency,
    ],
  );
  return breakOf(row as Row);
}

export async function findBreak(sql: Sql, id: string, lock?: 'update'): Promise<Break | undefined> {
  const [row] = await sql.query<Row>(
    `select ${COLUMNS} from breaks where id = $1 ${lock ? 'for no key update' : ''}`,
    [id],
  );
  return row && breakOf(row);
}

/** The oldest first. @param all the resolved ones too */
export async function listBreaks(sql: Sql, all: boolean, limit: number): Promise<Break[]> {
  const rows = await sql.query<Row>(
    `select ${COLUMNS} from breaks where $1 or resolved_at is null order by created_at, id limit $2`,
    [all, limit],
  );
  return rows.map(breakOf);
}

export async function resolve(
  tx: Sql,
  given: { id: string; note: string; resolvedBy: string; at: Date },
): Promise<Break> {
  const [row] = await tx.query<Row>(
    `update breaks set note = $2, resolved_by = $3, resolved_at = $4 where id = $1 returning ${COLUMNS}`,
    [given.id, given.note, given.resolvedBy, given.at],
  );
  return breakOf(row as Row);
}

/** As the command line prints it. */
export function breakRecord({ amount, currency, ...rest }: Break): Record<string, unknown> {
  return { ...rest, amount: amount && currency ? formatAmount(amount, currency) : null, currency };
}
