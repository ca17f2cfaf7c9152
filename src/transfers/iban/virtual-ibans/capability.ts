import type { Caller } from '../../../kernel/caller';
import type { Sql, Tx } from '../../../kernel/db/database';
import { capabilityDisabled, notFound } from '../../../kernel/errors';
import { isId, newId } from '../../../kernel/ids';
import { openLedgerAccount } from '../../../kernel/ledger/accounts';
import { requireTenant, tenantExists } from '../../../tenants/clients/operations';
import { type IbanRange, ibanOf } from './iban-number';
import {
  beginPeriod,
  endPeriod,
  findById,
  findVirtualIban,
  insertVirtualIban,
  nextNumber,
  setStatus,
  type VirtualIban,
} from './store';

export { findByIban, findById as findVirtualIbanById, listVirtualIbans, type VirtualIban } from './store';

/**
 * The capability is the caller's own company's, whatever company is named: so a company without it learns nothing of
 * others. An admin acts for the company that is named.
 * @throws Problem 403 `capability_disabled`
 */
export async function requireCapability(
  sql: Sql,
  { role, tenantId }: Pick<Caller, 'role' | 'tenantId'>,
  companyId: string,
): Promise<void> {
  const company = role === 'admin' ? companyId : tenantId;
  const found = await findVirtualIban(sql, company);
  if (found?.status === 'active') return;
  // An id that is no company's is not found, as everywhere; that is looked up where ids are.
  if (role === 'admin' && !(await tenantExists(sql, company))) return;
  throw capabilityDisabled();
}

/** Whether the company has it now. */
export const hasVirtualIban = async (sql: Sql, companyId: string): Promise<boolean> =>
  (await findVirtualIban(sql, companyId))?.status === 'active';

/**
 * The company's IBAN.
 * @param lock `share` where money moves: it stays enabled to the end of the transaction
 * @throws Problem 404 for another's company, 403 when it has been disabled meanwhile
 */
export async function requireVirtualIban(
  sql: Sql,
  { reach }: Pick<Caller, 'reach'>,
  companyId: string,
  lock?: 'share',
): Promise<VirtualIban> {
  if (reach !== null && reach !== companyId) throw notFound('company');
  const found = await findVirtualIban(sql, companyId, lock);
  if (!found) throw notFound('company');
  if (found.status !== 'active') throw capabilityDisabled();
  return found;
}

/**
 * A virtual IBAN as an account: whoever reaches its company reads its history and balance, also once it is disabled.
 * @param reach the company's tenant, or null for every tenant
 */
export async function ibanAccount(
  sql: Sql,
  reach: string | null,
  id: string,
): Promise<{ id: string; currency: string } | undefined> {
  const found = isId('virtualIban', id) ? await findById(sql, reach, id) : undefined;
  return found && { id: found.id, currency: 'EUR' };
}

/**
 * Gives a company its virtual IBAN, or gives it back. Enabled twice is enabled once.
 * @throws Problem 404
 */
export async function enableIban(
  tx: Tx,
  range: IbanRange,
  companyId: string,
  at: Date,
): Promise<{ iban: VirtualIban; changed: boolean }> {
  const { id: tenantId } = await requireTenant(tx, companyId);
  // Two who enable the same company at once: the second one waits, and finds it enabled.
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 85))', [tenantId]);
  const before = await findVirtualIban(tx, tenantId, 'update');
  if (before?.status === 'active') return { iban: before, changed: false };
  const iban = before ? await setStatus(tx, before.id, 'active') : await openIban(tx, range, tenantId);
  await beginPeriod(tx, iban.id, at);
  return { iban, changed: true };
}

async function openIban(tx: Tx, range: IbanRange, tenantId: string): Promise<VirtualIban> {
  const id = newId('virtualIban');
  const number = await nextNumber(tx);
  await openLedgerAccount(tx, { id, kind: 'iban', tenantId, currency: 'EUR' });
  return insertVirtualIban(tx, { id, tenantId, number, iban: ibanOf(range, number), bic: range.bic });
}

/**
 * Takes the capability away: calls answer 403 and incoming credits wait in suspense. The balance stays; payouts under way
 * go on. Disabled twice is disabled once.
 * @throws Problem 404 for a company that never had one
 */
export async function disableIban(
  tx: Tx,
  companyId: string,
  at: Date,
): Promise<{ iban: VirtualIban; changed: boolean }> {
  const before = await findVirtualIban(tx, companyId, 'update');
  if (!before) throw notFound('virtual IBAN');
  if (before.status === 'disabled') return { iban: before, changed: false };
  await endPeriod(tx, before.id, at);
  return { iban: await setStatus(tx, before.id, 'disabled'), changed: true };
}
