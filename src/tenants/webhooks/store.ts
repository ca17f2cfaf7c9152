import type { Sql } from '../../kernel/db/database';
import type { Registration } from '../../kernel/outbox/events';
import type { Endpoint } from './record';
import { type EndpointKey, type EndpointStatus, endpointTransition } from './record';
import { RECOVERY_ID } from './recovery-command';

const ENDPOINT = `tenant_id as "tenantId", registration, url, status, failing_since as "failingSince", probes,
  next_probe_at as "nextProbeAt", last_error as "lastError", created_at as "createdAt"`;

export async function findEndpoints(
  sql: Sql,
  given: { tenantId?: string; status?: EndpointStatus; registrations?: readonly Registration[] } = {},
): Promise<Endpoint[]> {
  return sql.query<Endpoint>(
    `select ${ENDPOINT} from webhook_endpoints
      where ($1::text is null or tenant_id = $1) and ($2::text is null or status = $2)
        and ($3::text[] is null or registration = any ($3))
      order by tenant_id, registration`,
    [given.tenantId ?? null, given.status ?? null, given.registrations ?? null],
  );
}

export async function findEndpoint(sql: Sql, key: EndpointKey): Promise<Endpoint | undefined> {
  const [row] = await findEndpoints(sql, { tenantId: key.tenantId, registrations: [key.registration] });
  return row;
}

/** Locks the endpoints of a tenant, in one order. */
export async function lockEndpoints(
  sql: Sql,
  tenantId: string,
  registrations: readonly Registration[],
): Promise<Endpoint[]> {
  return sql.query<Endpoint>(
    `select ${ENDPOINT} from webhook_endpoints where tenant_id = $1 and registration = any ($2)
      order by registration for update`,
    [tenantId, registrations],
  );
}

/** Sets the URL of each registration; one that stands there is replaced, whatever its state. */
export async function putEndpoints(
  sql: Sql,
  given: { tenantId: string; url: string; registrations: readonly Registration[]; now: Date },
): Promise<void> {
  const { to } = endpointTransition('set');
  await sql.query(
    `insert into webhook_endpoints (tenant_id, registration, url, status, created_at, updated_at)
     select $1, registration, $2, $3, $4, $4 from unnest($5::text[]) as registration order by registration
     on conflict (tenant_id, registration) do update
        set url = excluded.url, status = excluded.status, created_at = excluded.created_at,
            updated_at = excluded.updated_at, failing_since = null, probes = 0, next_probe_at = null, last_error = null`,
    [given.tenantId, given.url, to, given.now, given.registrations],
  );
}

export async function deleteEndpoints(
  sql: Sql,
  tenantId: string,
  registrations: readonly Registration[],
): Promise<EndpointKey[]> {
  return sql.query<EndpointKey>(
    `delete from webhook_endpoints where tenant_id = $1 and registration = any ($2)
     returning tenant_id as "tenantId", registration`,
    [tenantId, registrations],
  );
}

export interface FailedEndpoint extends EndpointKey {
  /** That was tried: an answer of a former URL says nothing of the present one. */
  url: string;
  code: string;
  index: number;
  nextProbeAt: Date;
}

/** @returns those that were active and have begun to fail */
export async function markFailing(sql: Sql, failed: FailedEndpoint[], now: Date): Promise<EndpointKey[]> {
  const { from, to } = endpointTransition('attempt_failed');
  return sql.query<EndpointKey>(
    `update webhook_endpoints p
        set status = $7, failing_since = $8, probes = f.index, next_probe_at = f.at, last_error = f.code, updated_at = $8
       from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int[], $6::timestamptz[])
              as f(tenant_id, registration, url, code, index, at)
      where p.tenant_id = f.tenant_id and p.registration = f.registration and p.url = f.url and p.status = any ($9)
     returning p.tenant_id as "tenantId", p.registration`,
    [
      failed.map((one) => one.tenantId),
      failed.map((one) => one.registration),
      failed.map((one) => one.url),
      failed.map((one) => one.code),
      failed.map((one) => one.index),
      failed.map((one) => one.nextProbeAt),
      to,
      now,
      from,
    ],
  );
}

/** The receiver said that it wants no more. @returns those that are disabled now */
export async function markDisabled(
  sql: Sql,
  gone: (EndpointKey & { url: string })[],
  now: Date,
): Promise<EndpointKey[]> {
  const { from, to } = endpointTransition('gone');
  return sql.query<EndpointKey>(
    `update webhook_endpoints p set status = $4, next_probe_at = null, last_error = 'http_410', updated_at = $5
       from unnest($1::text[], $2::text[], $3::text[]) as g(tenant_id, registration, url)
      where p.tenant_id = g.tenant_id and p.registration = g.registration and p.url = g.url and p.status = any ($6)
     returning p.tenant_id as "tenantId", p.registration`,
    [
      gone.map((one) => one.tenantId),
      gone.map((one) => one.registration),
      gone.map((one) => one.url),
      to,
      now,
      from,
    ],
  );
}

/** @returns whether it was failing, at that URL, and is active now */
export async function markActive(
  sql: Sql,
  key: EndpointKey & { url: string },
  on: 'probe_succeeded' | 'nothing_waits',
  now: Date,
): Promise<boolean> {
  const { from, to } = endpointTransition(on);
  const rows = await sql.query(
    `update webhook_endpoints
        set status = $4, failing_since = null, probes = 0, next_probe_at = null, last_error = null, updated_at = $5
      where tenant_id = $1 and registration = $2 and url = $3 and status = any ($6) returning registration`,
    [key.tenantId, key.registration, key.url, to, now, from],
  );
  return rows.length > 0;
}

/** @returns whether it is failing still, at that URL */
export async function setNextProbe(
  sql: Sql,
  key: EndpointKey & { url: string },
  next: { index: number; at: Date; code?: string },
): Promise<boolean> {
  const rows = await sql.query(
    `update webhook_endpoints set probes = $4, next_probe_at = $5, last_error = coalesce($6, last_error)
      where tenant_id = $1 and registration = $2 and url = $3 and status = 'failing' returning registration`,
    [key.tenantId, key.registration, key.url, next.index, next.at, next.code ?? null],
  );
  return rows.length > 0;
}

/** Makes failing endpoints of a tenant due for a probe at once. @returns those */
export async function probeNow(
  sql: Sql,
  given: { tenantId: string; registration?: Registration; now: Date },
): Promise<EndpointKey[]> {
  return sql.query<EndpointKey>(
    `update webhook_endpoints set next_probe_at = $3
      where tenant_id = $1 and ($2::text is null or registration = $2) and status = 'failing'
     returning tenant_id as "tenantId", registration`,
    [given.tenantId, given.registration ?? null, given.now],
  );
}

/** Failing endpoints whose next probe was due before `olderThan`, the longest overdue first. */
export async function overdueProbes(
  sql: Sql,
  given: { olderThan: Date; limit: number; exceptWorkflows: string[] },
): Promise<EndpointKey[]> {
  return sql.query<EndpointKey>(
    `select tenant_id as "tenantId", registration from webhook_endpoints
      where status = 'failing' and next_probe_at < $1 and $3 || tenant_id || '-' || registration <> all ($4)
      order by next_probe_at limit $2`,
    [given.olderThan, given.limit, RECOVERY_ID, given.exceptWorkflows],
  );
}

/**
 * Takes the tenant's turn to ask for a replay. The row is locked, so of many who ask at once one is let through,
 * whichever process they ask.
 * @returns milliseconds until the next turn; 0 when this one was taken
 */
export async function takeResendTurn(
  sql: Sql,
  tenantId: string,
  now: Date,
  everyMs: number,
): Promise<number> {
  const taken = await sql.query(
    `insert into webhook_resends as r (tenant_id, at) values ($1, $2)
     on conflict (tenant_id) do update set at = $2 where r.at <= $2 - $3 * interval '1 millisecond'
     returning tenant_id`,
    [tenantId, now, everyMs],
  );
  if (taken.length > 0) return 0;
  const [row] = await sql.query<{ at: Date }>('select at from webhook_resends where tenant_id = $1', [
    tenantId,
  ]);
  return Math.max(1, (row?.at.getTime() ?? 0) + everyMs - now.getTime());
}

/** How many deliveries stand where; what was delivered is not counted, there may be millions. */
export async function countDeliveries(
  sql: Sql,
  tenantId?: string,
): Promise<{ tenantId: string; registration: string; delivery: string; count: number }[]> {
  return sql.query(
    `select tenant_id as "tenantId", registration, delivery, count(*)::int as count from events
      where (delivery = 'due' or delivery in ('recorded', 'failed', 'parked')) and ($1::text is null or tenant_id = $1)
      group by tenant_id, registration, delivery order by tenant_id, registration, delivery`,
    [tenantId ?? null],
  );
}
