import type { Sql, Tx } from '../../kernel/db/database';
import { notFound } from '../../kernel/errors';
import { endStop, forgetStop, noteStop } from '../../process/stops/operations';
import type { Stopping } from '../../process/stops/record';
import type { Tenant } from './record';
import type { SettingsSection } from './settings';
import { findTenant, lockTenant, statusOf, updateStatus } from './store';

export { listTenants, updateSettings } from './store';

/** Extent of a tenant's stop. */
interface Reach {
  /** The tenant's cards keep working. */
  apiOnly?: boolean;
}

/**
 * Disables or enables a tenant. While disabled, its calls are refused, its cards decline, and transfers that no party
 * knows yet wait. Everything else continues, and records and secrets stay. A disabled tenant may be disabled again with
 * another extent.
 * @returns the previous status
 * @throws Problem 404 for an unknown tenant, 409 `invalid_transition` when status and extent are already as requested
 */
export async function setClientStatus(
  tx: Tx,
  clientId: string,
  status: Tenant['status'],
  stopping: Stopping,
  { apiOnly = false }: Reach = {},
): Promise<Tenant['status']> {
  const before = await lockedTenant(tx, clientId);
  const [kind, other] = apiOnly ? (['tenant_api', 'tenant'] as const) : (['tenant', 'tenant_api'] as const);
  const isOther = await forgetStop(tx, other, clientId);
  if (status === 'disabled') await noteStop(tx, { kind, subject: clientId, tenantId: clientId, ...stopping });
  else if (!isOther) await endStop(tx, kind, clientId);
  await updateStatus(tx, clientId, status);
  return before.status;
}

/**
 * Whether the tenant is disabled in the database. @param clientId null for money without an owner, which no stop
 * concerns
 */
export const isDisabled = async (sql: Sql, clientId: string | null): Promise<boolean> =>
  clientId !== null && (await statusOf(sql, clientId)) === 'disabled';

/** The tenant, locked against other changes. @throws Problem 404 */
export async function lockedTenant(tx: Tx, clientId: string): Promise<Tenant> {
  const tenant = await lockTenant(tx, clientId);
  if (!tenant) throw notFound('client');
  return tenant;
}

/** A domain's section in the settings of a tenant. */
export const sectionOf = <T>({ settings }: Pick<Tenant, 'settings'>, section: SettingsSection<T>): T =>
  section.schema.parse(settings[section.name] ?? {});

/** Reads a domain's section of the tenant's settings. @throws Problem 404 for an unknown tenant */
export async function settingsOf<T>(sql: Sql, clientId: string, section: SettingsSection<T>): Promise<T> {
  return sectionOf(await requireTenant(sql, clientId), section);
}

/** Reads the sections of two domains at once. @throws Problem 404 for an unknown tenant */
export async function bothSettingsOf<T, U>(
  sql: Sql,
  clientId: string,
  one: SettingsSection<T>,
  other: SettingsSection<U>,
): Promise<[T, U]> {
  const tenant = await requireTenant(sql, clientId);
  return [sectionOf(tenant, one), sectionOf(tenant, other)];
}

export const tenantExists = async (sql: Sql, clientId: string): Promise<boolean> =>
  (await findTenant(sql, clientId)) !== undefined;

/** Undefined for an unknown tenant. */
export const tenantOf = (sql: Sql, clientId: string): Promise<Tenant | undefined> =>
  findTenant(sql, clientId);

export async function requireTenant(sql: Sql, clientId: string) {
  const tenant = await findTenant(sql, clientId);
  if (!tenant) throw notFound('client');
  return tenant;
}
