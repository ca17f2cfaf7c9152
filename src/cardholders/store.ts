import type { Sql } from '../db/database';
import { isId } from '../ids';
import type { CardholderModel } from './meta-rules';
import type { CardholderStatus } from './rules';

export interface Cardholder {
  id: string;
  tenantId: string;
  /** Whose meta the submission is built from. */
  userId: string | null;
  accountId: string;
  bin: string;
  model: CardholderModel;
  status: CardholderStatus;
  /** Why a submission failed or was rejected. */
  description: string | null;
  /** In lower case: unique per tenant and BIN. */
  email: string;
  maskedName: string;
  /** How often it was sent to the provider. */
  submissions: number;
  reviewedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

const COLUMNS = `id, tenant_id as "tenantId", user_id as "userId", account_id as "accountId", bin, model, status,
  description, email, masked_name as "maskedName", submissions, reviewed_at as "reviewedAt", created_at as "createdAt",
  updated_at as "updatedAt"`;

export type NewCardholder = Pick<
  Cardholder,
  'id' | 'tenantId' | 'accountId' | 'bin' | 'model' | 'status' | 'email' | 'maskedName'
> & { userId: string };

/** @returns nothing when another cardholder on the BIN holds the email: the unique index decides */
export async function insertCardholder(tx: Sql, given: NewCardholder): Promise<Cardholder | undefined> {
  const [row] = await tx.query<Cardholder>(
    `insert into cardholders (id, tenant_id, user_id, account_id, bin, model, status, email, masked_name)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict (tenant_id, bin, email) do nothing returning ${COLUMNS}`,
    [
      given.id,
      given.tenantId,
      given.userId,
      given.accountId,
      given.bin,
      given.model,
      given.status,
      given.email,
      given.maskedName,
    ],
  );
  return row;
}

/** @param reach the tenant whose cardholders may be found, or null for every tenant's */
export async function findCardholder(
  sql: Sql,
  reach: string | null,
  id: string,
): Promise<Cardholder | undefined> {
  if (!isId('cardholder', id)) return undefined;
  const [row] = await sql.query<Cardholder>(
    `select ${COLUMNS} from cardholders where id = $1 and ($2::text is null or tenant_id = $2)`,
    [id, reach],
  );
  return row;
}

/** The user's cardholder on a BIN; without one, their newest. */
export async function findCardholderOfUser(
  sql: Sql,
  userId: string,
  bin?: string,
): Promise<Cardholder | undefined> {
  const [row] = await sql.query<Cardholder>(
    `select ${COLUMNS} from cardholders where user_id = $1 and ($2::text is null or bin = $2)
      order by id desc limit 1`,
    [userId, bin],
  );
  return row;
}

export async function isEmailHeld(sql: Sql, tenantId: string, bin: string, email: string): Promise<boolean> {
  const rows = await sql.query('select 1 from cardholders where tenant_id = $1 and bin = $2 and email = $3', [
    tenantId,
    bin,
    email,
  ]);
  return rows.length > 0;
}

/** Holds the row to the end of the transaction. */
export async function lockRow(tx: Sql, id: string): Promise<void> {
  await tx.query('select id from cardholders where id = $1 for no key update', [id]);
}

export interface CardholderFilter {
  status?: CardholderStatus;
  bin?: string;
  userId?: string;
}

/** The tenant's cardholders, newest first, after the id that the page before ended with. */
export async function listCardholders(
  sql: Sql,
  tenantId: string,
  filter: CardholderFilter,
  after: string | undefined,
  limit: number,
): Promise<Cardholder[]> {
  return sql.query<Cardholder>(
    `select ${COLUMNS} from cardholders
      where tenant_id = $1 and ($2::text is null or status = $2) and ($3::text is null or bin = $3)
        and ($4::text is null or user_id = $4) and ($5::text is null or id < $5)
      order by id desc limit $6`,
    [tenantId, filter.status, filter.bin, filter.userId, after, limit],
  );
}
