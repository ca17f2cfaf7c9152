import { filtered, type IdPage, NOW, newestFirst, raw, table } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import { isId } from '../../kernel/ids';
import type { UserMeta } from './meta';
import type { KycStatus, User, UserStatus } from './record';

const COLUMNS = [
  'id',
  'tenantId',
  'externalId',
  'status',
  'operatorBlocked',
  'statusReason',
  'meta',
  'kycStatus',
  'createdAt',
  'updatedAt',
];

const users = () => table('users');

/** `status` is the client's own status. */
type Row = Omit<User, 'clientStatus'>;

const userOf = (row: Row): User => ({
  ...row,
  clientStatus: row.status,
  status: row.operatorBlocked ? 'blocked' : row.status,
});

/** @returns undefined when the tenant has another user with the `externalId` */
export async function insertUser(
  tx: Sql,
  { meta, ...given }: { id: string; tenantId: string; externalId: string | null; meta: UserMeta },
): Promise<User | undefined> {
  const [row] = await tx.run<Row>(
    users()
      .insert({ ...given, meta: JSON.stringify(meta) })
      .onConflict(raw('(tenant_id, external_id) where external_id is not null'))
      .ignore()
      .returning(COLUMNS),
  );
  return row && userOf(row);
}

/** `share`: nobody changes the user until the end of the transaction. `update`: nobody but this transaction does. */
export type UserLock = 'none' | 'share' | 'update';

/** @param reach the tenant whose users may be found, or null for any tenant's */
export async function findUser(
  sql: Sql,
  reach: string | null,
  id: string,
  lock: UserLock = 'none',
): Promise<User | undefined> {
  if (!isId('user', id)) return undefined;
  const query = users().select(COLUMNS).where({ id }).modify(filtered, { tenantId: reach });
  if (lock === 'share') void query.forShare();
  if (lock === 'update') void query.forNoKeyUpdate();
  const [row] = await sql.run<Row>(query);
  return row && userOf(row);
}

export interface UserFilter {
  status?: UserStatus;
  kycStatus?: KycStatus;
  externalId?: string;
}

/** A page of the tenant's users, newest first. */
export async function listUsers(
  sql: Sql,
  tenantId: string,
  { status, ...filter }: UserFilter,
  page: IdPage,
): Promise<User[]> {
  const query = users().select(COLUMNS).where({ tenantId }).modify(filtered, filter);
  if (status !== undefined)
    void query.whereRaw(`(operator_blocked or status = 'blocked') = ?`, [status === 'blocked']);
  return (await sql.run<Row>(query.modify(newestFirst, page))).map(userOf);
}

export const updateMeta = (tx: Sql, id: string, meta: UserMeta): Promise<User> =>
  updateUser(tx, id, { meta: JSON.stringify(meta) });

export const updateStatus = (
  tx: Sql,
  id: string,
  status: UserStatus,
  statusReason: string | null,
): Promise<User> => updateUser(tx, id, { status, statusReason });

export const updateOperatorBlock = (tx: Sql, id: string, operatorBlocked: boolean): Promise<User> =>
  updateUser(tx, id, { operatorBlocked });

export const updateKycStatus = (tx: Sql, id: string, kycStatus: KycStatus): Promise<User> =>
  updateUser(tx, id, { kycStatus });

async function updateUser(tx: Sql, id: string, values: Record<string, unknown>): Promise<User> {
  const [row] = await tx.run<Row>(
    users()
      .where({ id })
      .update({ ...values, updatedAt: NOW })
      .returning(COLUMNS),
  );
  return userOf(row as Row);
}
