import type { Sql } from '../db/database';

export interface Account {
  id: string;
  tenantId: string;
  ownerType: 'client' | 'user';
  userId: string | null;
  currency: string;
  status: 'active' | 'closed';
  createdAt: Date;
  updatedAt: Date;
}

interface Row {
  id: string;
  tenant_id: string;
  owner_type: 'client' | 'user';
  user_id: string | null;
  currency: string;
  status: 'active' | 'closed';
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
