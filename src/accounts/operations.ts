import type { Sql, Tx } from '../db/database';
import { notFound } from '../errors';
import { newId } from '../ids';
import { openLedgerAccount } from '../ledger/accounts';
import { type Account, findAccount, findMasterAccount, insertAccount } from './store';

const MASTER_CURRENCIES = ['USD', 'EUR', 'GBP'];

/** The accounts that a new tenant begins with. */
export async function openMasterAccounts(tx: Tx, tenantId: string): Promise<void> {
  for (const currency of MASTER_CURRENCIES) {
    const id = newId('account');
    await insertAccount(tx, { id, tenantId, userId: null, currency });
    await openLedgerAccount(tx, { id, kind: 'master', tenantId, currency });
  }
}

/** @throws Problem 404, naming the field when the id came in the body */
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

/** Where a tenant's card fees of a currency fall. @throws Problem 404 */
export async function requireMasterAccount(sql: Sql, tenantId: string, currency: string): Promise<Account> {
  const account = await findMasterAccount(sql, tenantId, currency);
  if (!account) throw notFound(`${currency} master account`);
  return account;
}
