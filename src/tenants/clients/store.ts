import type { Sql } from '../../kernel/db/database';
import type { LiveSecret, Tenant, TenantAccess } from './record';
import { type TenantSettings, tenantSettings } from './settings';

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

export async function updateStatus(tx: Sql, id: string, status: Tenant['status']): Promise<void> {
  await tx.query('update tenants set status = $2, updated_at = now() where id = $1', [id, status]);
}

/** The tenant, locked against other changes of it and of its secrets; what merely refers to it waits for nothing. */
export async function lockTenant(tx: Sql, id: string): Promise<Tenant | undefined> {
  const [row] = await tx.query<TenantRow>(
    'select id, name, role, status, settings from tenants where id = $1 for no key update',
    [id],
  );
  return row && tenant(row);
}

/** Tenants by id, each with the secrets that authenticate now: one statement, hence of one moment. */
export async function readAccess(sql: Sql, ids: string[]): Promise<Map<string, TenantAccess>> {
  const rows = await sql.prepared<
    TenantRow & {
      access_version: string;
      secret_id: string | null;
      secret_hash: Buffer;
      left_ms: string | null;
    }
  >(
    'tenants-access',
    `select t.id, t.name, t.role, t.status, t.settings, t.access_version, c.id as secret_id, c.secret_hash,
            extract(epoch from c.expires_at - clock_timestamp()) * 1000 as left_ms
       from tenants t
       left join credentials c on c.tenant_id = t.id and (c.expires_at is null or c.expires_at > clock_timestamp())
      where t.id = any($1::text[])`,
    [ids],
  );
  const read = new Map<string, TenantAccess>();
  for (const { access_version, secret_id, secret_hash, left_ms, ...row } of rows) {
    const access = read.get(row.id) ?? { tenant: tenant(row), version: access_version, secrets: [] };
    if (secret_id !== null) {
      const leftMs = left_ms === null ? null : Number(left_ms);
      access.secrets.push({ id: secret_id, hash: secret_hash, leftMs });
    }
    read.set(row.id, access);
  }
  return read;
}

/** The versions of the tenants among these that are there. */
export async function accessVersions(sql: Sql, ids: string[]): Promise<Map<string, string>> {
  const rows = await sql.prepared<{ id: string; access_version: string }>(
    'tenants-versions',
    'select id, access_version from tenants where id = any($1::text[])',
    [ids],
  );
  return new Map(rows.map((row) => [row.id, row.access_version]));
}

/** The secrets that authenticate now, the current one first. */
export async function liveSecrets(sql: Sql, tenantId: string): Promise<LiveSecret[]> {
  const rows = await sql.query<{ id: string; expires_at: Date | null }>(
    `select id, expires_at from credentials
      where tenant_id = $1 and (expires_at is null or expires_at > clock_timestamp()) order by id desc`,
    [tenantId],
  );
  return rows.map((row) => ({ id: row.id, endsAt: row.expires_at }));
}

/**
 * The newest secret, sealed. Opened only to sign webhooks: it signs although it was revoked, until there is another.
 */
export async function sealedSecret(sql: Sql, tenantId: string): Promise<Buffer | undefined> {
  const [row] = await sql.query<{ secret_sealed: Buffer }>(
    'select secret_sealed from credentials where tenant_id = $1 order by id desc limit 1',
    [tenantId],
  );
  return row?.secret_sealed;
}

/**
 * Ends the secrets in their overlap now, and the current one in so many seconds (null: not at all). By the database's
 * clock, the one that all processes share: what ends now lives for none of them.
 * @returns those that were ended, with their ends
 */
export async function endSecrets(
  tx: Sql,
  tenantId: string,
  currentEndsIn: number | null,
): Promise<{ id: string; endsAt: Date }[]> {
  const rows = await tx.query<{ id: string; expires_at: Date }>(
    `update credentials
        set expires_at = date_trunc('milliseconds', clock_timestamp())
                         + case when expires_at is null then make_interval(secs => $2::int) else interval '0' end
      where tenant_id = $1 and (expires_at > clock_timestamp() or (expires_at is null and $2::int is not null))
  returning id, expires_at`,
    [tenantId, currentEndsIn],
  );
  return rows.map((row) => ({ id: row.id, endsAt: row.expires_at }));
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
