import type { Sql } from '../db/database';
import { type TenantSettings, tenantSettings } from './settings';

export interface Tenant {
  id: string;
  name: string;
  role: 'client' | 'admin';
  status: 'active' | 'disabled';
  settings: TenantSettings;
}

export interface Credential {
  secretHash: Buffer;
  /** Null for the current one. */
  expiresAt: Date | null;
}

interface TenantRow {
  id: string;
  name: string;
  role: 'client' | 'admin';
  status: 'active' | 'disabled';
  settings: unknown;
}

const tenant = (row: TenantRow): Tenant => ({ ...row, settings: tenantSettings.parse(row.settings) });

export async function insertTenant(
  tx: Sql,
  given: { id: string; name: string; role: string; settings: object },
): Promise<void> {
  await tx.query('insert into tenants (id, name, role, settings) values ($1, $2, $3, $4)', [
    given.id,
    given.name,
    given.role,
    JSON.stringify(given.settings),
  ]);
}

export async function findTenant(sql: Sql, id: string): Promise<Tenant | undefined> {
  const [row] = await sql.query<TenantRow>(
    'select id, name, role, status, settings from tenants where id = $1',
    [id],
  );
  return row && tenant(row);
}

export async function listTenants(sql: Sql): Promise<Tenant[]> {
  const rows = await sql.query<TenantRow>('select id, name, role, status, settings from tenants order by id');
  return rows.map(tenant);
}

export async function updateSettings(tx: Sql, id: string, settings: TenantSettings): Promise<void> {
  await tx.query('update tenants set settings = $2, updated_at = now() where id = $1', [
    id,
    JSON.stringify(settings),
  ]);
}

/** The secrets that authenticate now, the current one first. */
export async function liveCredentials(sql: Sql, tenantId: string): Promise<Credential[]> {
  const rows = await sql.query<{ secret_hash: Buffer; expires_at: Date | null }>(
    `select secret_hash, expires_at from credentials
      where tenant_id = $1 and (expires_at is null or expires_at > now()) order by id desc`,
    [tenantId],
  );
  return rows.map((row) => ({ secretHash: row.secret_hash, expiresAt: row.expires_at }));
}

/** The current secret, sealed. Opened only to sign webhooks. */
export async function sealedSecret(sql: Sql, tenantId: string): Promise<Buffer | undefined> {
  const [row] = await sql.query<{ secret_sealed: Buffer }>(
    'select secret_sealed from credentials where tenant_id = $1 and expires_at is null',
    [tenantId],
  );
  return row?.secret_sealed;
}

/** Ends the current secret at the end of the overlap; one that ends earlier keeps its end. */
export async function endCurrentSecret(tx: Sql, tenantId: string, endsAt: Date): Promise<void> {
  await tx.query('update credentials set expires_at = $2 where tenant_id = $1 and expires_at is null', [
    tenantId,
    endsAt,
  ]);
}

export async function insertCredential(
  tx: Sql,
  tenantId: string,
  hash: Buffer,
  sealed: Buffer,
): Promise<void> {
  await tx.query('insert into credentials (tenant_id, secret_hash, secret_sealed) values ($1, $2, $3)', [
    tenantId,
    hash,
    sealed,
  ]);
}
