import { filtered, NOW, table } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import { recordTable } from '../../kernel/db/record-table';
import {
  type LiveSecret,
  MAIN,
  type OwningOperator,
  type SecretTerms,
  type Tenant,
  type TenantAccess,
} from './record';
import { type TenantSettings, tenantSettings } from './settings';

const tenants = recordTable<Tenant>(
  'tenants',
  { settings: { read: (stored) => tenantSettings.parse(stored), write: JSON.stringify } },
  ['id', 'name', 'role', 'status', 'settings', 'operatorId'],
);
const credentials = () => table('credentials');

export async function insertTenant(
  tx: Sql,
  { settings, ...given }: Pick<Tenant, 'id' | 'name' | 'role' | 'operatorId'> & { settings: object },
): Promise<void> {
  await tx.run(tenants().insert({ ...given, settings: JSON.stringify(settings) }));
}

export const findTenant = (sql: Sql, id: string) => tenants.one(sql, tenants().where({ id }));

export async function statusOf(sql: Sql, id: string): Promise<Tenant['status'] | undefined> {
  const [row] = await sql.run<Pick<Tenant, 'status'>>(tenants().select('status').where({ id }));
  return row?.status;
}

/** A page of all tenants by id, which is the order of their creation. The primary key serves it. */
export function listTenants(
  sql: Sql,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<Tenant[]> {
  const query = tenants().orderBy('id').limit(limit);
  if (after !== undefined) void query.where('id', '>', after);
  return tenants.all(sql, query);
}

export async function updateSettings(tx: Sql, id: string, settings: TenantSettings): Promise<void> {
  const change = { ...tenants.row({ settings }), updatedAt: NOW };
  await tx.run(tenants().where({ id }).update(change));
}

export async function updateStatus(tx: Sql, id: string, status: Tenant['status']): Promise<void> {
  await tx.run(tenants().where({ id }).update({ status, updatedAt: NOW }));
}

/** Locks the tenant against other changes of it and its secrets. Records that only refer to the tenant do not wait. */
export const lockTenant = (tx: Sql, id: string) => tenants.one(tx, tenants().where({ id }).forNoKeyUpdate());

/**
 * Tenants by id with their valid secrets and their operator, in one statement and so of one moment. Raw and prepared,
 * because requests depend on it.
 */
export async function readAccess(sql: Sql, ids: string[]): Promise<Map<string, TenantAccess>> {
  const rows = await sql.prepared<{
    id: string;
    access_version: string;
    secret_id: string | null;
    secret_hash: Buffer;
    scopes: SecretTerms['scopes'];
    addresses: SecretTerms['addresses'];
    left_ms: string | null;
    operator: OwningOperator | null;
  }>(
    'tenants-access',
    `select t.id, t.name, t.role, t.status, t.settings, t.operator_id, t.access_version, c.id as secret_id, c.secret_hash,
            c.scopes, c.addresses,
            extract(epoch from c.expires_at - clock_timestamp()) * 1000 as left_ms,
            (select jsonb_build_object('name', o.name, 'permissions', o.permissions, 'isDisabled', o.disabled_at is not null)
               from operators o where o.id = t.operator_id) as operator
       from tenants t
       left join credentials c on c.tenant_id = t.id and (c.expires_at is null or c.expires_at > clock_timestamp())
      where t.id = any($1::text[])`,
    [ids],
  );
  const read = new Map<string, TenantAccess>();
  for (const row of rows) {
    const {
      access_version: version,
      secret_id,
      secret_hash,
      scopes,
      addresses,
      left_ms,
      operator,
      ...rest
    } = row;
    const access = read.get(row.id) ?? { tenant: tenants.record(rest), operator, version, secrets: [] };
    if (secret_id !== null) {
      const leftMs = left_ms === null ? null : Number(left_ms);
      access.secrets.push({ id: secret_id, hash: secret_hash, scopes, addresses, leftMs });
    }
    read.set(row.id, access);
  }
  return read;
}

/** Versions of the tenants that exist. Raw and prepared, because it runs twice a second for all tenants in use. */
export async function accessVersions(sql: Sql, ids: string[]): Promise<Map<string, string>> {
  const rows = await sql.prepared<{ id: string; access_version: string }>(
    'tenants-versions',
    'select id, access_version from tenants where id = any($1::text[])',
    [ids],
  );
  return new Map(rows.map((row) => [row.id, row.access_version]));
}

/** A secret with its tenant. */
export interface TenantSecret extends LiveSecret {
  tenantId: string;
}

export interface SecretFilter {
  tenantId?: string | undefined;
  /** Only secrets before this number: the last of the previous page. */
  below?: string | undefined;
  limit: number;
}

/** Valid secrets of all names, the newest first. */
export const liveSecrets = (sql: Sql, tenantId: string): Promise<LiveSecret[]> =>
  sql.run<TenantSecret>(validSecrets().where({ tenantId }));

/** A page of the valid secrets, the newest first. `credentials_of_tenant` and the primary key serve it. */
export function listSecrets(sql: Sql, { tenantId, below, limit }: SecretFilter): Promise<TenantSecret[]> {
  const query = validSecrets().modify(filtered, { tenantId }).limit(limit);
  if (below !== undefined) void query.where('id', '<', below);
  return sql.run<TenantSecret>(query);
}

const validSecrets = () =>
  credentials()
    .select('id', 'tenantId', 'name', 'scopes', 'addresses', 'createdAt', 'expiresAt as endsAt')
    .whereRaw('(expires_at is null or expires_at > clock_timestamp())')
    .orderBy('id', 'desc');

/** The terms of the newest secret of a name, also when it has ended. Undefined for a name without secrets. */
export async function newestTerms(
  sql: Sql,
  tenantId: string,
  name: string,
): Promise<SecretTerms | undefined> {
  const newest = credentials().select('scopes', 'addresses').where({ tenantId, name });
  const [row] = await sql.run<SecretTerms>(newest.orderBy('id', 'desc').limit(1));
  return row;
}

/**
 * The sealed secrets that sign webhooks: the newest one named `main`, which signs even when it was revoked, and the other
 * valid ones of that name. Raw and prepared, because the dispatcher reads it once a second for each tenant with webhooks.
 */
export const signingSecrets = (sql: Sql, tenantId: string): Promise<{ id: string; sealed: Buffer }[]> =>
  sql.prepared(
    'tenants-signing',
    `select id, secret_sealed as sealed from credentials
      where tenant_id = $1 and name = $2 and (expires_at is null or expires_at > clock_timestamp()
            or id = (select max(id) from credentials where tenant_id = $1 and name = $2))
      order by id desc`,
    [tenantId, MAIN],
  );

/** Secrets to end. */
export interface Ending {
  /** Only those of this name. Null: of every name. */
  name: string | null;
  /** Seconds until current secrets end. Null: they stay. */
  currentEndsIn: number | null;
}

/**
 * Ends secrets in their overlap now, and current ones in `currentEndsIn` seconds. Raw, because ends are computed by the
 * database's clock, which all processes share.
 * @returns secrets that were ended, with their ends
 */
export async function endSecrets(
  tx: Sql,
  tenantId: string,
  { name, currentEndsIn }: Ending,
): Promise<{ id: string; name: string; endsAt: Date }[]> {
  return tx.query<{ id: string; name: string; endsAt: Date }>(
    `update credentials
        set expires_at = date_trunc('milliseconds', clock_timestamp())
                         + case when expires_at is null then make_interval(secs => $2::int) else interval '0' end
      where tenant_id = $1 and (expires_at > clock_timestamp() or (expires_at is null and $2::int is not null))
        and ($3::text is null or name = $3)
  returning id, name, expires_at as "endsAt"`,
    [tenantId, currentEndsIn, name],
  );
}

export interface NewSecret extends SecretTerms {
  tenantId: string;
  name: string;
  secretHash: Buffer;
  secretSealed: Buffer;
  /** `operator:<name>`: who has seen it. Null: the tenant alone. */
  shownTo: string | null;
}

export async function insertCredential(tx: Sql, given: NewSecret): Promise<void> {
  await tx.run(credentials().insert({ ...given }));
}

/**
 * Whether an operator has ever seen a secret of the tenant. Ended secrets count, because the operator may
 * have rotated a secret to one that nobody else knows.
 */
export const hasSeenSecret = async (sql: Sql, tenantId: string, actor: string): Promise<boolean> =>
  (
    await sql.run(
      credentials()
        .select('id')
        .where({ tenantId })
        .whereNotNull('shownTo')
        .whereRaw('is_one_hand(shown_to, ?)', [actor])
        .limit(1),
    )
  ).length > 0;
