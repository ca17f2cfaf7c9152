import type { Sql, Tx } from '../../kernel/db/database';
import { conflict, notFound } from '../../kernel/errors';
import { newId } from '../../kernel/ids';
import { openLedgerAccount } from '../../kernel/ledger/accounts';
import { requireUser } from '../../people/users/operations';
import type { Account } from './record';
import type { AccountServices, ReadableAccount } from './services';
import { findAccount, findMasterAccount, findUserAccount, holdAccount, insertAccount } from './store';

const MASTER_CURRENCIES = ['USD', 'EUR', 'GBP'];

/** Opens the master accounts of a new tenant. */
export async function openMasterAccounts(tx: Tx, tenantId: string): Promise<void> {
  for (const currency of MASTER_CURRENCIES) await openMasterAccount(tx, tenantId, currency);
}

/** Opens a tenant's master account in a currency or asset, or returns the existing one. */
export async function openMasterAccount(tx: Tx, tenantId: string, currency: string): Promise<OpenedAccount> {
  const id = newId('account');
  const opened = await insertAccount(tx, { id, tenantId, userId: null, currency });
  if (opened) await openLedgerAccount(tx, { id, kind: 'master', tenantId, currency });
  const account = await findMasterAccount(tx, tenantId, currency);
  if (!account) throw new Error(`the ${currency} account of ${tenantId} was neither opened nor found`);
  return { account, opened };
}

/** @param field the body field that held the id, for the error @throws Problem 404 */
export async function requireAccount(
  sql: Sql,
  reach: string | null,
  id: string,
  field?: string,
): Promise<Account> {
  const account = await findAccount(sql, reach, id);
  if (!account) throw notFound('account', field);
  return account;
}

/** An account whose history can be read, of this domain or of another one. @throws Problem 404 */
export const requireReadableAccount = async (
  { database, findAccountElsewhere }: Pick<AccountServices, 'database' | 'findAccountElsewhere'>,
  reach: string | null,
  id: string,
): Promise<ReadableAccount> =>
  (await findAccountElsewhere(database, reach, id)) ?? requireAccount(database, reach, id);

/** The account that pays a tenant's card fees in a currency. @throws Problem 404 */
export async function requireMasterAccount(sql: Sql, tenantId: string, currency: string): Promise<Account> {
  const account = await findMasterAccount(sql, tenantId, currency);
  if (!account) throw notFound(`${currency} master account`);
  return account;
}

export type { Account } from './record';
export {
  findAccount,
  findMasterAccount,
  holdAccount,
  listAccounts,
  listUserAccounts,
  lockAccount,
  markClosed,
} from './store';

export interface OpenedAccount {
  account: Account;
  /** False when the account existed. */
  opened: boolean;
}

/** Opens a user's account in a currency, or returns the existing one. */
export async function openUserAccount(
  tx: Tx,
  tenantId: string,
  userId: string,
  currency: string,
): Promise<OpenedAccount> {
  const id = newId('account');
  const opened = await insertAccount(tx, { id, tenantId, userId, currency });
  if (opened) await openLedgerAccount(tx, { id, kind: 'user', tenantId, currency });
  const account = await findUserAccount(tx, userId, currency);
  if (!account) throw new Error(`the ${currency} account of ${userId} was neither opened nor found`);
  return { account, opened };
}

/** Opens a user's account in a currency, or returns the existing one, for a caller's reach. @throws Problem 404 */
export async function openAccountOfUser(
  tx: Tx,
  reach: string | null,
  userId: string,
  currency: string,
): Promise<OpenedAccount> {
  const user = await requireUser(tx, reach, userId);
  return openUserAccount(tx, user.tenantId, user.id, currency);
}

/** Whether an account is closed. A share lock keeps its status until the end of the transaction. */
export const isAccountClosed = async (tx: Tx, id: string): Promise<boolean> =>
  (await holdAccount(tx, id))?.status === 'closed';

/**
 * Ensures that an account is open and stays open until the end of the transaction.
 * @returns the account
 * @throws Problem 409 `account_closed`; Error where there is no account
 */
export async function assertAccountOpen(
  tx: Tx,
  { id }: Pick<Account, 'id'>,
  field?: string,
): Promise<Account> {
  const account = await holdAccount(tx, id);
  if (!account) throw new Error(`there is no account ${id}`);
  if (account.status === 'closed') throw conflict('account_closed', 'The account is closed.', field);
  return account;
}
