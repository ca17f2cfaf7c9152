import type { Sql } from '../../kernel/db/database';
import { isId } from '../../kernel/ids';
import type { UserMeta } from './meta';
import type { KycStatus, User, UserStatus } from './record';

const COLUMNS = `id, tenant_id as "tenantId", external_id as "externalId", status, status_reason as "statusReason", meta,
  kyc_status as "kycStatus", created_at as "createdAt", updated_at as "updatedAt"`;

const NOW = `date_trunc('milliseconds', clock_timestamp())`;

/** @returns nothing when the tenant has a user with that `externalId` already */
export async function insertUser(
  tx: Sql,
  given: { id: string; tenantId: string; externalId: string | null; meta: UserMeta },
): Promise<User | undefined> {
  const [row] = await tx.query<User>(
    `insert into users (id, tenant_id, external_id, meta) values ($1, $2, $3, $4)
     on conflict (tenant_id, external_id) where external_id is not null do nothing returning ${COLUMNS}`,
    [given.id, given.tenantId, given.externalId, JSON.stringify(given.meta)],
  );
  return row;
}

/** `share` lets no one change the user before the transaction ends, `update` no one but us. */
export type UserLock = 'none' | 'share' | 'update';

const LOCKS: Record<UserLock, string> = { none: '', share: 'for share', update: 'for no key update' };

/** @param reach the tenant whose users may be found, or null for every tenant's */
export async function findUser(
  sql: Sql,
  reach: string | null,
  id: string,
  lock: UserLock = 'none',
): Promise<User | undefined> {
  if (!isId('user', id)) return undefined;
  const [row] = await sql.query<User>(
    `select ${COLUMNS} from users where id = $1 and ($2::text is null or tenant_id = $2) ${LOCKS[lock]}`,
    [id, reach],
  );
  return row;
}

export interface UserFilter {
  status?: UserStatus;
  kycStatus?: KycStatus;
  externalId?: string;
}

/** The tenant's users, newest first, after the id that the page before ended with. */
export async function listUsers(
  sql: Sql,
  tenantId: string,
  filter: UserFilter,
  after: string | undefined,
  limit: number,
): Promise<User[]> {
  return sql.query<User>(
    `select ${COLUMNS} from users
      where tenant_id = $1 and ($2::text is null or status = $2) and ($3::text is null or kyc_status = $3)
        and ($4::text is null or external_id = $4) and ($5::text is null or id < $5)
      order by id desc limit $6`,
    [tenantId, filter.status, filter.kycStatus, filter.externalId, after, limit],
  );
}

export async function updateMeta(tx: Sql, id: string, meta: UserMeta): Promise<User> {
  const [row] = await tx.query<User>(
    `update users set meta = $2, updated_at = ${NOW} where id = $1 returning ${COLUMNS}`,
    [id, JSON.stringify(meta)],
  );
  return row as User;
}

export async function updateStatus(
  tx: Sql,
  id: string,
  status: UserStatus,
  reason: string | null,
): Promise<User> {
  const [row] = await tx.query<User>(
    `update users set status = $2, status_reason = $3, updated_at = ${NOW} where id = $1 returning ${COLUMNS}`,
    [id, status, reason],
  );
  return row as User;
}

export async function updateKycStatus(tx: Sql, id: string, status: KycStatus): Promise<User> {
  const [row] = await tx.query<User>(
    `update users set kyc_status = $2, updated_at = ${NOW} where id = $1 returning ${COLUMNS}`,
    [id, status],
  );
  return row as User;
}

/** Which of the users are blocked; on the path of every authorization. */
export async function findBlocked(sql: Sql, ids: string[]): Promise<Set<string>> {
  const rows = await sql.prepared<{ id: string }>(
    'users-blocked',
    `select id from users where id = any($1) and status = 'blocked'`,
    [ids],
  );
  return new Set(rows.map((row) => row.id));
}
