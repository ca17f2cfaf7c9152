import type { Knex } from 'knex';
import { anyOf, filtered, raw, table } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import { recordTable } from '../../kernel/db/record-table';
import { countWaiting, type WaitingCount, type WaitingFilter, waitingPage } from '../../kernel/db/waiting';
import type { Registration } from '../../kernel/outbox/events';
import type { Endpoint } from './record';
import { type EndpointKey, type EndpointStatus, endpointTransition } from './record';
import { RECOVERY_ID } from './recovery-command';

const endpoints = recordTable<Endpoint>('webhook_endpoints', {}, [
  'tenantId',
  'registration',
  'url',
  'urlId',
  'status',
  'failingSince',
  'probes',
  'nextProbeAt',
  'lastError',
  'probeEvent',
  'probeFailures',
  'createdAt',
]);
const KEY = ['tenantId', 'registration'];

/** Values of an endpoint that is not failing: a success, no waiting events, or a new URL. */
const HEALTHY = {
  failingSince: null,
  probes: 0,
  nextProbeAt: null,
  lastError: null,
  probeEvent: null,
  probeFailures: 0,
  recentFailures: 0,
};

export async function findEndpoints(
  sql: Sql,
  {
    registrations,
    ...filter
  }: {
    tenantId?: string;
    status?: EndpointStatus;
    registrations?: readonly Registration[];
  } = {},
): Promise<Endpoint[]> {
  const found = endpoints().modify(filtered, filter);
  if (registrations) void found.where(anyOf('registration', registrations));
  return endpoints.all(sql, found.orderBy(KEY));
}

export interface EndpointsPage {
  tenantId?: string | undefined;
  status?: EndpointStatus | undefined;
  /** Key of the last endpoint of the previous page: `<tenant>/<registration>`. */
  after?: string | undefined;
  limit: number;
}

/** A page of the endpoints by their key, which the primary key serves. */
export async function findEndpointsPage(
  sql: Sql,
  { after, limit, ...filter }: EndpointsPage,
): Promise<Endpoint[]> {
  const found = endpoints().modify(filtered, filter).orderBy(KEY).limit(limit);
  if (after !== undefined) void found.whereRaw('(tenant_id, registration) > (?, ?)', [...splitKey(after)]);
  return endpoints.all(sql, found);
}

/** An id of a tenant has no slash. */
function splitKey(key: string): [string, string] {
  const at = key.indexOf('/');
  return [key.slice(0, Math.max(0, at)), key.slice(at + 1)];
}

const faulty = () => endpoints().whereIn('status', ['failing', 'disabled']);
const FAULTY = {
  id: `tenant_id || '/' || registration`,
  since: 'coalesce(failing_since, updated_at)',
  tenantId: 'tenant_id',
  kind: 'status',
};

/** Failing and disabled endpoints, longest first. `kind` is the status. @throws Problem 400 */
export async function faultyEndpoints(sql: Sql, filter: WaitingFilter) {
  const since = raw(`${FAULTY.since} as since`);
  const found = await endpoints.all(sql, faulty().select(since).modify(waitingPage, FAULTY, filter));
  return found as (Endpoint & { since: Date })[];
}

export const countFaultyEndpoints = (sql: Sql): Promise<WaitingCount> => countWaiting(sql, faulty(), FAULTY);

export const findEndpoint = (sql: Sql, { tenantId, registration }: EndpointKey) =>
  endpoints.one(sql, endpoints().where({ tenantId, registration }));

/** Locks the endpoints of a tenant, in one order. */
export const lockEndpoints = (sql: Sql, tenantId: string, registrations: readonly Registration[]) =>
  endpoints.all(
    sql,
    endpoints()
      .where({ tenantId })
      .where(anyOf('registration', registrations))
      .orderBy('registration')
      .forUpdate(),
  );

/** Sets the URL of each registration, replacing an existing one in any state. */
export async function putEndpoints(
  sql: Sql,
  {
    tenantId,
    url,
    registrations,
    now,
  }: {
    tenantId: string;
    url: string;
    registrations: readonly Registration[];
    now: Date;
  },
): Promise<void> {
  const { to: status } = endpointTransition('set');
  const values = { url, status, ...HEALTHY, createdAt: now, updatedAt: now };
  // Sorted, because everything that locks several endpoints uses one order.
  const rows = [...registrations].sort().map((registration) => ({ tenantId, registration, ...values }));
  await sql.run(endpoints().insert(rows).onConflict(KEY).merge(Object.keys(values)));
}

export async function deleteEndpoints(
  sql: Sql,
  tenantId: string,
  registrations: readonly Registration[],
): Promise<EndpointKey[]> {
  return sql.run<EndpointKey>(
    endpoints().where({ tenantId }).where(anyOf('registration', registrations)).delete().returning(KEY),
  );
}

/** `lastError` of a disabled endpoint. */
const DISABLED_BY = { gone: 'http_410', took_nothing: 'nothing_taken_for_7_days' } as const;

/**
 * Disables endpoints whose receivers answered 410 or accepted nothing for too long. Raw, because of arrays.
 * @returns endpoints that were disabled now
 */
export async function markDisabled(
  sql: Sql,
  gone: (EndpointKey & { url: string })[],
  now: Date,
  on: keyof typeof DISABLED_BY = 'gone',
): Promise<EndpointKey[]> {
  const { from, to } = endpointTransition(on);
  return sql.query<EndpointKey>(
    `update webhook_endpoints p set status = $4, next_probe_at = null, last_error = $7, updated_at = $5
       from unnest($1::text[], $2::text[], $3::text[]) as g(tenant_id, registration, url)
      where p.tenant_id = g.tenant_id and p.registration = g.registration and p.url = g.url and p.status = any ($6)
     returning p.tenant_id as "tenantId", p.registration`,
    [
      gone.map((endpoint) => endpoint.tenantId),
      gone.map((endpoint) => endpoint.registration),
      gone.map((endpoint) => endpoint.url),
      to,
      now,
      from,
      DISABLED_BY[on],
    ],
  );
}

/** @returns whether the endpoint was failing at that URL and is active now */
export async function markActive(
  sql: Sql,
  { tenantId, registration, url }: EndpointKey & { url: string },
  on: 'probe_succeeded' | 'nothing_waits',
  now: Date,
): Promise<boolean> {
  const { from, to: status } = endpointTransition(on);
  const rows = await sql.run(
    endpoints()
      .where({ tenantId, registration, url })
      .where(anyOf('status', from))
      .update({ status, ...HEALTHY, updatedAt: now })
      .returning('registration'),
  );
  return rows.length > 0;
}

/** @returns whether the endpoint is still failing at that URL */
export async function setNextProbe(
  sql: Sql,
  { tenantId, registration, url }: EndpointKey & { url: string },
  next: Pick<Endpoint, 'probes' | 'nextProbeAt'> &
    Partial<Pick<Endpoint, 'lastError' | 'probeEvent' | 'probeFailures'>>,
): Promise<boolean> {
  const rows = await sql.run(
    endpoints()
      .where({ tenantId, registration, url, status: 'failing' })
      .update(next)
      .returning('registration'),
  );
  return rows.length > 0;
}

/** Makes the next probe of a tenant's failing endpoints due at once. @returns these endpoints */
export async function probeNow(
  sql: Sql,
  { tenantId, registration, now }: { tenantId: string; registration?: Registration; now: Date },
): Promise<EndpointKey[]> {
  return sql.run<EndpointKey>(
    endpoints()
      .where({ tenantId, status: 'failing' })
      .modify(filtered, { registration })
      .update({ nextProbeAt: now })
      .returning(KEY),
  );
}

/** Failing endpoints whose next probe was due before `olderThan`, longest overdue first. */
export async function overdueProbes(
  sql: Sql,
  { olderThan, limit, exceptWorkflows }: { olderThan: Date; limit: number; exceptWorkflows: string[] },
): Promise<EndpointKey[]> {
  const workflowId = raw(`? || tenant_id || '-' || registration`, [RECOVERY_ID]);
  return sql.run<EndpointKey>(
    endpoints()
      .select(KEY)
      .where({ status: 'failing' })
      .where('nextProbeAt', '<', olderThan)
      .whereNot(raw('? = any(?)', [workflowId, exceptWorkflows as unknown as Knex.RawBinding]))
      .orderBy('nextProbeAt')
      .limit(limit),
  );
}

/**
 * Takes the tenant's turn for a resend. The row's lock admits one of several concurrent calls, in any process.
 * @returns milliseconds until the next turn, 0 when the turn was taken
 */
export async function takeResendTurn(
  sql: Sql,
  tenantId: string,
  now: Date,
  everyMs: number,
): Promise<number> {
  const resends = () => table('webhook_resends');
  const taken = await sql.run(
    resends()
      .insert({ tenantId, at: now })
      .onConflict('tenantId')
      .merge(['at'])
      .where('webhookResends.at', '<=', new Date(now.getTime() - everyMs))
      .returning('tenantId'),
  );
  if (taken.length > 0) return 0;
  const [last] = await sql.run<{ at: Date }>(resends().select('at').where({ tenantId }));
  return Math.max(1, (last?.at.getTime() ?? 0) + everyMs - now.getTime());
}

/** Deliveries by state. Delivered ones are left out, because there may be millions. */
export async function countDeliveries(
  sql: Sql,
  tenantId?: string,
): Promise<{ tenantId: string; registration: string; delivery: string; count: number }[]> {
  const place = [...KEY, 'delivery'];
  return sql.run(
    table('events')
      .select(...place, raw('count(*)::int as count'))
      // The conditions of the two partial indexes, in their wording.
      .whereRaw(`(delivery = 'due' or delivery in ('recorded', 'failed', 'parked'))`)
      .modify(filtered, { tenantId })
      .groupBy(place)
      .orderBy(place),
  );
}

/** Endpoints by status. */
export async function countEndpoints(sql: Sql): Promise<Map<string, number>> {
  const rows = await sql.run<{ status: string; count: number }>(
    endpoints().select('status', raw('count(*)::int as count')).groupBy('status'),
  );
  return new Map(rows.map(({ status, count }) => [status, count]));
}
