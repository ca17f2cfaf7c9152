import type { Sql } from '../../kernel/db/database';
import { isId } from '../../kernel/ids';
import type { Decimal } from '../../kernel/money/money';

export const OWNER_TYPES = ['client', 'user'] as const;
export const ACCOUNT_STATUSES = ['active', 'closed'] as const;
export type OwnerType = (typeof OWNER_TYPES)[number];
export type AccountStatus = (typeof ACCOUNT_STATUSES)[number];

export interface Account {
  id: string;
  tenantId: string;
  /** `client`: a master account. */
  ownerType: OwnerType;
  userId: string | null;
  currency: string;
  status: AccountStatus;
  createdAt: Date;
  updatedAt: Date;
}

interface Row {
  id: string;
  tenant_id: string;
  owner_type: OwnerType;
  user_id: string | null;
  currency: string;
  status: AccountStatus;
  created_at: Date;
  updated_at: Date;
}

const COLUMNS = 'id, tenant_id, owner_type, user_id, currency, status, created_at, updated_at';

const account = (row: Row): Account => ({
  id: row.id,
  tenantId: row.tenant_id,
  ownerType: row.owner_type,
  userId: row.user_id,
  currency: row.currency,
  status: row.status,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** @returns false when the owner has an account in that currency already */
export async function insertAccount(
  tx: Sql,
  given: { id: string; tenantId: string; userId: string | null; currency: string },
): Promise<boolean> {
  const rows = await tx.query(
    `insert into accounts (id, tenant_id, owner_type, user_id, currency) values ($1, $2, $3, $4, $5)
     on conflict do nothing returning id`,
    [given.id, given.tenantId, given.userId === null ? 'client' : 'user', given.userId, given.currency],
  );
  return rows.length === 1;
}

/** @param reach the tenant whose accounts may be found, or null for every tenant's */
export async function findAccount(sql: Sql, reach: string | null, id: string): Promise<Account | undefined> {
  if (!isId('account', id)) return undefined;
  const [row] = await sql.query<Row>(
    `select ${COLUMNS} from accounts where id = $1 and ($2::text is null or tenant_id = $2)`,
    [id, reach],
  );
  return row && account(row);
}

export async function findMasterAccount(
  sql: Sql,
  tenantId: string,
  currency: string,
): Promise<Account | undefined> {
  const [row] = await sql.query<Row>(
    `select ${COLUMNS} from accounts where tenant_id = $1 and currency = $2 and owner_type = 'client'`,
    [tenantId, currency],
  );
  return row && account(row);
}

export async function findUserAccount(
  sql: Sql,
  userId: string,
  currency: string,
): Promise<Account | undefined> {
  const [row] = await sql.query<Row>(`select ${COLUMNS} from accounts where user_id = $1 and currency = $2`, [
    userId,
    currency,
  ]);
  return row && account(row);
}

export interface AccountFilter {
  currency?: string;
  status?: AccountStatus;
  ownerType?: OwnerType;
  userId?: string;
}

/** The tenant's accounts, newest first, after the id that the page before ended with. */
export async function listAccounts(
  sql: Sql,
  tenantId: string,
  filter: AccountFilter,
  after?: string,
  limit?: number,
): Promise<Account[]> {
  const rows = await sql.query<Row>(
    `select ${COLUMNS} from accounts
      where tenant_id = $1 and ($2::text is null or currency = $2) and ($3::text is null or status = $3)
        and ($4::text is null or owner_type = $4) and ($5::text is null or user_id = $5)
        and ($6::text is null or id < $6)
      order by id desc limit $7`,
    [tenantId, filter.currency, filter.status, filter.ownerType, filter.userId, after, limit],
  );
  return rows.map(account);
}

export async function listUserAccounts(sql: Sql, userId: string): Promise<Account[]> {
  const rows = await sql.query<Row>(`select ${COLUMNS} from accounts where user_id = $1`, [userId]);
  return rows.map(account);
}

/** What was said of a transfer; its two account transactions carry the reference. */
export interface Transfer {
  referenceId: string;
  tenantId: string;
  fromAccountId: string;
  toAccountId: string;
  amount: Decimal;
  currency: string;
  description: string | null;
  createdAt: Date;
}

export async function insertTransfer(tx: Sql, transfer: Transfer): Promise<void> {
  await tx.query(
    `insert into account_transfers (reference_id, tenant_id, from_account_id, to_account_id, amount, currency, description,
                            created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      transfer.referenceId,
      transfer.tenantId,
      transfer.fromAccountId,
      transfer.toAccountId,
      transfer.amount.toFixed(),
      transfer.currency,
      transfer.description,
      transfer.createdAt,
    ],
  );
}

/** @returns false when the tenant has used the reference already */
export async function insertOfframpReference(
  tx: Sql,
  given: { tenantId: string; reference: string; referenceId: string; accountId: string },
): Promise<boolean> {
  const rows = await tx.query(
    `insert into offramp_references (tenant_id, reference, reference_id, account_id) values ($1, $2, $3, $4)
     on conflict do nothing returning reference`,
    [given.tenantId, given.reference, given.referenceId, given.accountId],
  );
  return rows.length === 1;
}
