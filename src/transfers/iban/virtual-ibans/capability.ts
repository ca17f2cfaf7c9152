import type { Caller } from '../../../kernel/caller';
import type { IbanRange } from '../../../kernel/config/virtual-ibans';
import { type Locking } from '../../../kernel/db/build';
import type { Sql, Tx } from '../../../kernel/db/database';
import { capabilityDisabled, notFound } from '../../../kernel/errors';
import { isId, newId } from '../../../kernel/ids';
import { openLedgerAccount } from '../../../kernel/ledger/accounts';
import { requireTenant, tenantExists } from '../../../tenants/clients/operations';
import { ibanOf } from './iban-number';
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

export {
  findByIban,
  findById as findVirtualIbanById,
  findVirtualIban,
  foundVirtualIbans,
  listVirtualIbans,
  type VirtualIban,
} from './store';

/**
 * Requires the capability of the caller's own company, whatever company the request names. So a company without it
 * learns nothing about others. For an admin, the named company counts.
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
  // An unknown company is a 404 of the operation, so it is not a 403 here.
  if (role === 'admin' && !(await tenantExists(sql, company))) return;
  throw capabilityDisabled();
}

/** Whether the company has an enabled virtual IBAN. */
export const hasVirtualIban = async (sql: Sql, companyId: string): Promise<boolean> =>
  (await findVirtualIban(sql, companyId))?.status === 'active';

/**
 * The company's IBAN.
 * @param lock `share` where money moves: the IBAN stays enabled until the end of the transaction
 * @throws Problem 404 for another company, 403 when the IBAN is disabled
 */
export async function requireVirtualIban(
  sql: Sql,
  { reach }: Pick<Caller, 'reach'>,
  companyId: string,
  locking: Locking = {},
): Promise<VirtualIban> {
  if (reach !== null && reach !== companyId) throw notFound('company');
  const found = await findVirtualIban(sql, companyId, locking);
  if (!found) throw notFound('company');
  if (found.status !== 'active') throw capabilityDisabled();
  return found;
}

/**
 * A virtual IBAN as an account, for its history and balance. Also works after it was disabled.
 * @param reach the company's tenant, or null for every tenant
 */
export async function ibanAccount(
  sql: Sql,
  reach: string | null,
  id: string,
): Promise<{ id: string; tenantId: string; currency: string } | undefined> {
  const found = isId('virtualIban', id) ? await findById(sql, reach, id) : undefined;
  return found && { id: found.id, tenantId: found.tenantId, currency: 'EUR' };
}

/** Enables a company's virtual IBAN, a new one or its former one. Idempotent. @throws Problem 404 */
export async function enableIban(
  tx: Tx,
  range: IbanRange,
  companyId: string,
  at: Date,
): Promise<{ iban: VirtualIban; changed: boolean }> {
  const { id: tenantId } = await requireTenant(tx, companyId);
  // Serialises two requests for the same company, so that the second one finds the IBAN enabled.
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 85))', [tenantId]);
  const before = await findVirtualIban(tx, tenantId, { lock: 'update' });
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
 * Disables a company's virtual IBAN. Calls then answer 403, and incoming credits wait in suspense. The balance stays,
 * and payouts under way go on. Idempotent.
 * @throws Problem 404 for a company that never had one
 */
export async function disableIban(
  tx: Tx,
  companyId: string,
  at: Date,
): Promise<{ iban: VirtualIban; changed: boolean }> {
  const before = await findVirtualIban(tx, companyId, { lock: 'update' });
  if (!before) throw notFound('virtual IBAN');
  if (before.status === 'disabled') return { iban: before, changed: false };
  await endPeriod(tx, before.id, at);
  return { iban: await setStatus(tx, before.id, 'disabled'), changed: true };
}
