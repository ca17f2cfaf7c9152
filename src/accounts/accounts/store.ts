import { filtered, type IdPage, newestFirst, table } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import { decimal, recordTable } from '../../kernel/db/record-table';
import { isId } from '../../kernel/ids';
import type { Account, Transfer } from './record';

// Named, because a statement with `*` is planned anew each time (../../kernel/db/kept-plans.ts).
const accounts = recordTable<Account>('accounts', {}, [
  ...['id', 'tenantId', 'ownerType', 'userId', 'currency', 'status', 'createdAt', 'updatedAt'],
]);
const transfers = recordTable<Transfer>('account_transfers', { amount: decimal });

/** @returns false when the owner has an open account in the currency */
export async function insertAccount(
  tx: Sql,
  given: Pick<Account, 'id' | 'tenantId' | 'userId' | 'currency'>,
): Promise<boolean> {
  const ownerType: Account['ownerType'] = given.userId === null ? 'client' : 'user';
  const rows = await tx.run(
    accounts()
      .insert({ ...given, ownerType })
      .onConflict()
      .ignore()
      .returning('id'),
  );
  return rows.length === 1;
}

/** @param reach the tenant whose accounts may be found, or null for any tenant's */
export async function findAccount(sql: Sql, reach: string | null, id: string): Promise<Account | undefined> {
  if (!isId('account', id)) return undefined;
  return accounts.one(sql, accounts().where({ id }).modify(filtered, { tenantId: reach }));
}

/**
 * Locks an account for its closing. Waits for share locks of other transactions and blocks new ones until this
 * transaction ends.
 */
export async function lockAccount(tx: Sql, reach: string | null, id: string): Promise<Account | undefined> {
  if (!isId('account', id)) return undefined;
  const query = accounts().where({ id }).modify(filtered, { tenantId: reach }).forNoKeyUpdate();
  return accounts.one(tx, query);
}

/** Reads an account under a share lock, so that no other transaction closes it before this one ends. */
export async function holdAccount(tx: Sql, id: string): Promise<Account | undefined> {
  if (!isId('account', id)) return undefined;
  return accounts.one(tx, accounts().where({ id }).forShare());
}

export async function markClosed(tx: Sql, id: string, at: Date): Promise<void> {
  await tx.run(accounts().update({ status: 'closed', updatedAt: at }).where({ id }));
}

/** The open master account; else the one that was closed last. */
export const findMasterAccount = (sql: Sql, tenantId: string, currency: string) =>
  findFirst(sql, { tenantId, currency, ownerType: 'client' });

/** The open account; else the one that was closed last. */
export const findUserAccount = (sql: Sql, userId: string, currency: string) =>
  findFirst(sql, { userId, currency });

const findFirst = (sql: Sql, of: Partial<Account>) =>
  accounts.one(sql, accounts().where(of).orderBy(OPEN_FIRST).limit(1));

// In this order 'active' comes before 'closed'.
const OPEN_FIRST = [{ column: 'status' }, { column: 'id', order: 'desc' as const }];

export type AccountFilter = Partial<Pick<Account, 'currency' | 'status' | 'ownerType'> & { userId: string }>;

/**
 * A page of the tenant's accounts, or of any tenant's where it is null, newest first; without a page, all of them.
 */
export const listAccounts = (sql: Sql, tenantId: string | null, filter: AccountFilter, page: IdPage = {}) =>
  accounts.all(
    sql,
    accounts()
      .modify(filtered, { ...filter, tenantId })
      .modify(newestFirst, page),
  );

export const listUserAccounts = (sql: Sql, userId: string) => accounts.all(sql, accounts().where({ userId }));

export async function insertTransfer(tx: Sql, transfer: Transfer): Promise<void> {
  await tx.run(transfers().insert(transfers.row(transfer)));
}

/** @returns false when the tenant has used the reference */
export async function insertOfframpReference(
  tx: Sql,
  given: { tenantId: string; reference: string; referenceId: string; accountId: string },
): Promise<boolean> {
  const rows = await tx.run(
    table('offramp_references').insert(given).onConflict().ignore().returning('reference'),
  );
  return rows.length === 1;
}

export async function findOfframpReference(sql: Sql, tenantId: string, reference: string): Promise<boolean> {
  const rows = await sql.run(table('offramp_references').select('reference').where({ tenantId, reference }));
  return rows.length === 1;
}
