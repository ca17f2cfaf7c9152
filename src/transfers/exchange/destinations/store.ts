import { anyOf, filtered, type Locking, locked, NOW, raw } from '../../../kernel/db/build';
import type { Sql } from '../../../kernel/db/database';
import { json, recordTable } from '../../../kernel/db/record-table';
import { isId } from '../../../kernel/ids';
import type { WithdrawalDestination } from './record';

const destinations = recordTable<WithdrawalDestination>(
  'withdrawal_destinations',
  { destinationMasked: json },
  [
    ...['id', 'tenantId', 'currency', 'label', 'destinationMasked', 'activeFrom', 'addedBy', 'waivedAt'],
    ...['waivedBy', 'disabledAt', 'disabledBy', 'createdAt', 'updatedAt'],
  ],
);

export interface NewDestination
  extends Pick<
    WithdrawalDestination,
    'id' | 'tenantId' | 'currency' | 'label' | 'destinationMasked' | 'activeFrom' | 'addedBy' | 'createdAt'
  > {
  /** Sealed under the id. */
  destination: Buffer;
  /** Hash of account and currency. */
  accountHash: Buffer;
}

/** Whether the tenant has an enabled destination with that account. */
export async function hasAccount(sql: Sql, tenantId: string, accountHash: Buffer): Promise<boolean> {
  const query = destinations().select('id').where({ tenantId, accountHash }).whereNull('disabledAt');
  return (await sql.run(query.limit(1))).length > 0;
}

/** @returns undefined where the tenant has an enabled destination with that account */
export function insertDestination(
  tx: Sql,
  given: NewDestination,
): Promise<WithdrawalDestination | undefined> {
  const row = { ...destinations.row(given), updatedAt: given.createdAt };
  const open = raw('(tenant_id, account_hash) where disabled_at is null');
  return destinations.writtenOne(tx, destinations().insert(row).onConflict(open).ignore());
}

/** @param reach the tenant that must own it, or null for any */
export async function findDestination(
  sql: Sql,
  reach: string | null,
  id: string,
  locking: Locking = {},
): Promise<WithdrawalDestination | undefined> {
  if (!isId('withdrawalDestination', id)) return undefined;
  const query = destinations().where({ id }).modify(filtered, { tenantId: reach });
  return destinations.one(sql, query.modify(locked, locking));
}

export const findDestinations = (sql: Sql, ids: readonly string[]): Promise<WithdrawalDestination[]> =>
  destinations.all(sql, destinations().where(anyOf('id', ids)));

/** Lists the destinations of a tenant, newest first. */
export const listDestinations = (
  sql: Sql,
  filter: { tenantId?: string | undefined; currency?: string | undefined },
): Promise<WithdrawalDestination[]> =>
  destinations.all(sql, destinations().modify(filtered, filter).orderBy('id', 'desc'));

/** A page of the destinations of a tenant, or of all tenants, newest first. @param after id that the page follows */
export function pageOfDestinations(
  sql: Sql,
  { tenantId, after, limit }: { tenantId?: string | undefined; after?: string | undefined; limit: number },
): Promise<WithdrawalDestination[]> {
  const query = destinations().modify(filtered, { tenantId }).orderBy('id', 'desc').limit(limit);
  if (after !== undefined) void query.where('id', '<', after);
  return destinations.all(sql, query);
}

export function updateDestination(
  tx: Sql,
  id: string,
  change: Partial<
    Pick<WithdrawalDestination, 'activeFrom' | 'waivedAt' | 'waivedBy' | 'disabledAt' | 'disabledBy'>
  >,
): Promise<WithdrawalDestination> {
  const update = destinations()
    .where({ id })
    .update({ ...change, updatedAt: NOW });
  return destinations.saved(tx, update);
}

export async function findSealed(sql: Sql, id: string): Promise<Buffer> {
  const [row] = await sql.run<{ destination: Buffer }>(destinations().select('destination').where({ id }));
  if (!row) throw new Error(`the destination ${id} does not exist`);
  return row.destination;
}
