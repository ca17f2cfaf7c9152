import { filtered, type IdPage, newestFirst, table } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import { isId } from '../../kernel/ids';
import type { Account, Transfer } from './record';

/** @returns false when the owner has an open account in the currency */
export async function insertAccount(
  tx: Sql,
  given: Pick<Account, 'id' | 'tenantId' | 'userId' | 'currency'>,
): Promise<boolean> {
  const ownerType: Account['ownerType'] = given.userId === null ? 'client' : 'user';
  const rows = await tx.run(
    table('accounts')
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
  const [account] = await sql.run<Account>(
    table('accounts').where({ id }).modify(filtered, { tenantId: reach }),
  );
  return account;
}

/** Reads the status under a share lock, so that no other transaction closes the account before this one ends. */
export async function holdStatus(tx: Sql, id: string): Promise<Account['status'] | undefined> {
  const [found] = await tx.run<Pick<Account, 'status'>>(
    table('accounts').select('status').where({ id }).forShare(),
  );
  return found?.status;
}

/**
 * Locks an account for its closing. Waits for share locks of other transactions and blocks new ones until this
 * transaction ends.
 */
export async function lockAccount(tx: Sql, reach: string | null, id: string): Promise<Account | undefined> {
  if (!isId('account', id)) return undefined;
  const [account] = await tx.run<Account>(
    table('accounts').where({ id }).modify(filtered, { tenantId: reach }).forNoKeyUpdate(),
  );
  return account;
}

export async function markClosed(tx: Sql, id: string, at: Date): Promise<void> {
  await tx.run(table('accounts').update({ status: 'closed', updatedAt: at }).where({ id }));
}

/** The open master account; else the one that was closed last. */
export async function findMasterAccount(
  sql: Sql,
  tenantId: string,
  currency: string,
): Promise<Account | undefined> {
  const [account] = await sql.run<Account>(
    table('accounts').where({ tenantId, currency, ownerType: 'client' }).orderBy(OPEN_FIRST).limit(1),
  );
  return account;
}

/** The open account; else the one that was closed last. */
export async function findUserAccount(
  sql: Sql,
  userId: string,
  currency: string,
): Promise<Account | undefined> {
  const [account] = await sql.run<Account>(
    table('accounts').where({ userId, currency }).orderBy(OPEN_FIRST).limit(1),
  );
  return account;
}

// In this order 'active' comes before 'closed'.
const OPEN_FIRST = [{ column: 'status' }, { column: 'id', order: 'desc' as const }];

export type AccountFilter = Partial<Pick<Account, 'currency' | 'status' | 'ownerType'> & { userId: string }>;

/** A page of the tenant's accounts, newest first; without a page, all of them. */
export async function listAccounts(
  sql: Sql,
  tenantId: string,
  filter: AccountFilter,
  page: IdPage = {},
): Promise<Account[]> {
  return sql.run<Account>(
    table('accounts').where({ tenantId }).modify(filtered, filter).modify(newestFirst, page),
  );
}

export async function listUserAccounts(sql: Sql, userId: string): Promise<Account[]> {
  return sql.run<Account>(table('accounts').where({ userId }));
}

export async function insertTransfer(tx: Sql, transfer: Transfer): Promise<void> {
  await tx.run(table('account_transfers').insert({ ...transfer, amount: transfer.amount.toFixed() }));
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
