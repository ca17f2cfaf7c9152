import {
  anyOf,
  filtered,
  type IdPage,
  type Locking,
  locked,
  NOW,
  newestFirst,
  raw,
} from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import { foundRecords } from '../../kernel/db/found';
import { recordTable } from '../../kernel/db/record-table';
import { isId } from '../../kernel/ids';
import type { KycStatus, User, UserStatus } from './record';

/** `status` is the client's own status. */
type Row = Omit<User, 'clientStatus'>;

const users = recordTable<Row>('users', {}, [
  'id',
  'tenantId',
  'externalId',
  'status',
  'operatorBlocked',
  'statusReason',
  'dataKey',
  'metaSealed',
  'kycStatus',
  'createdAt',
  'updatedAt',
]);

const userOf = (row: Row): User => ({
  ...row,
  clientStatus: row.status,
  status: row.operatorBlocked ? 'blocked' : row.status,
});

/** @returns undefined when the tenant has another user with the `externalId` */
export async function insertUser(
  tx: Sql,
  given: Pick<User, 'id' | 'tenantId' | 'externalId' | 'dataKey' | 'metaSealed'>,
): Promise<User | undefined> {
  const row = await users.writtenOne(
    tx,
    users()
      .insert(users.row(given))
      .onConflict(raw('(tenant_id, external_id) where external_id is not null'))
      .ignore(),
  );
  return row && userOf(row);
}

/** @param reach the tenant whose users may be found, or null for any tenant's */
export async function findUser(
  sql: Sql,
  reach: string | null,
  id: string,
  locking: Locking = {},
): Promise<User | undefined> {
  if (!isId('user', id)) return undefined;
  const query = users().where({ id }).modify(filtered, { tenantId: reach }).modify(locked, locking);
  const row = await users.one(sql, query);
  return row && userOf(row);
}

/** In no order. */
export async function findUsers(sql: Sql, ids: readonly string[]): Promise<User[]> {
  if (ids.length === 0) return [];
  return (await users.all(sql, users().where(anyOf('id', ids)))).map(userOf);
}

export interface UserFilter {
  status?: UserStatus;
  kycStatus?: KycStatus;
  externalId?: string;
}

/** A page of the tenant's users, or of any tenant's where it is null, newest first. */
export async function listUsers(
  sql: Sql,
  tenantId: string | null,
  { status, ...filter }: UserFilter,
  page: IdPage,
): Promise<User[]> {
  const query = users().modify(filtered, { ...filter, tenantId });
  if (status !== undefined)
    void query.whereRaw(`(operator_blocked or status = 'blocked') = ?`, [status === 'blocked']);
  return (await users.all(sql, query.modify(newestFirst, page))).map(userOf);
}

/** @param change `status` is the client's own status */
export async function updateUser(
  tx: Sql,
  id: string,
  change: Partial<Pick<Row, 'metaSealed' | 'status' | 'statusReason' | 'operatorBlocked' | 'kycStatus'>>,
): Promise<User> {
  const query = users().where({ id });
  return userOf(await users.saved(tx, query.update({ ...users.row(change), updatedAt: NOW })));
}

/** Destroys the key of a user's data, and removes what the client knows the user by. */
export async function forgetPerson(tx: Sql, id: string): Promise<User> {
  const nothing = { dataKey: null, metaSealed: null, externalId: null, statusReason: null };
  return userOf(
    await users.saved(
      tx,
      users()
        .where({ id })
        .update({ ...nothing, updatedAt: NOW }),
    ),
  );
}

/** SQL of a user's status, as it is shown. */
export const SHOWN_STATUS = `case when operator_blocked then 'blocked' else status end`;

/** Users of any tenant with this external id, newest first. */
export const foundUsers = (sql: Sql, externalId: string, limit: number) =>
  foundRecords(sql, { table: 'users', column: 'externalId', text: externalId, status: SHOWN_STATUS }, limit);
