import type { Sql, Tx } from '../../kernel/db/database';
import type { NextProbe } from './delivery/schedule';
import { type EndpointKey, endpointTransition } from './record';

/**
 * Whether an endpoint counts as failing (decisions part 4, Webhooks). The endpoint's row keeps its last outcomes as
 * bits, 1 for a failure, newest lowest. Only the first failure of an event counts, so that retries of one bad event do
 * not silence an endpoint. Missing outcomes count as successes, so an endpoint without failures has 0.
 */
const IN_A_ROW = 5;
const WINDOW = 20;
const HALF = WINDOW / 2;

/** Outcome of an attempt that counts, with the URL that was tried, because it says nothing about a newer URL. */
export interface Outcome extends EndpointKey {
  url: string;
  ok: boolean;
}

/** Outcomes of one endpoint, packed into a number. */
export interface Series extends EndpointKey {
  url: string;
  /** Number of attempts, at most {@link WINDOW}. */
  count: number;
  /** One bit per attempt, 1 for a failure, newest lowest. */
  failures: number;
}

const MASK = 2 ** WINDOW - 1;

/**
 * Groups outcomes by endpoint and URL, keeping their order. Endpoints are sorted, because everything that locks several
 * uses one order.
 */
export function seriesOf(outcomes: readonly Outcome[]): Series[] {
  const all = new Map<string, Series>();
  for (const { tenantId, registration, url, ok } of outcomes) {
    const key = `${tenantId} ${registration} ${url}`;
    const before = all.get(key) ?? { count: 0, failures: 0 };
    all.set(key, {
      tenantId,
      registration,
      url,
      count: Math.min(WINDOW, before.count + 1),
      failures: ((before.failures << 1) | (ok ? 0 : 1)) & MASK,
    });
  }
  return [...all.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, series]) => series);
}

/**
 * Stores outcomes with their endpoints. Raw: one statement for many endpoints, with arrays and bits.
 * @returns keys and URL of endpoints that now count as failing
 */
export async function noteOutcomes(tx: Tx, series: Series[]): Promise<(EndpointKey & { url: string })[]> {
  return tx.query(
    `with noted as (
       update webhook_endpoints p
          set recent_failures = ((p.recent_failures::bigint << o.count) | o.failures) & ${MASK}
         from unnest($1::text[], $2::text[], $3::text[], $4::int[], $5::int[])
                as o(tenant_id, registration, url, count, failures)
        where p.tenant_id = o.tenant_id and p.registration = o.registration and p.url = o.url
       returning p.tenant_id, p.registration, p.url, p.recent_failures as recent)
     select tenant_id as "tenantId", registration, url from noted
      where recent & ${2 ** IN_A_ROW - 1} = ${2 ** IN_A_ROW - 1}
         or bit_count(recent::bit(${WINDOW})) >= ${HALF}`,
    [
      series.map(({ tenantId }) => tenantId),
      series.map(({ registration }) => registration),
      series.map(({ url }) => url),
      series.map(({ count }) => count),
      series.map(({ failures }) => failures),
    ],
  );
}

export interface FailedEndpoint extends EndpointKey {
  /** The URL that was tried. A failure says nothing about a newer URL. */
  url: string;
  code: string;
  /** Start of its schedule. */
  first: NextProbe;
}

/**
 * Marks endpoints as failing. The first probe is due at the schedule's time, or at the first unclaimed event's due time
 * if that is later. So `Retry-After` delays an endpoint only if it applies to all of its waiting events. Raw: one
 * statement for many endpoints, with arrays.
 * @returns endpoints that were active before
 */
export async function markFailing(sql: Sql, failed: FailedEndpoint[], now: Date): Promise<EndpointKey[]> {
  const { from, to } = endpointTransition('counts_as_failing');
  return sql.query<EndpointKey>(
    `update webhook_endpoints p
        set status = $7, failing_since = $8::timestamptz, probes = f.index, last_error = f.code, updated_at = $8::timestamptz,
            next_probe_at = $8::timestamptz + greatest(f.ms * interval '1 millisecond', (
              select e.due_at - product_now() from events e
               where e.shard = webhook_shard(f.tenant_id, f.registration) and e.tenant_id = f.tenant_id
                 and e.registration = f.registration and e.delivery = 'due'
                 and (e.leased_until is null or e.leased_until < clock_timestamp())
               order by e.due_at limit 1)),
            probe_event = null, probe_failures = 0
       from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int[], $6::bigint[])
              as f(tenant_id, registration, url, code, index, ms)
      where p.tenant_id = f.tenant_id and p.registration = f.registration and p.url = f.url and p.status = any ($9)
     returning p.tenant_id as "tenantId", p.registration`,
    [
      failed.map((endpoint) => endpoint.tenantId),
      failed.map((endpoint) => endpoint.registration),
      failed.map((endpoint) => endpoint.url),
      failed.map((endpoint) => endpoint.code),
      failed.map(({ first }) => first.index),
      failed.map(({ first }) => first.waitMs),
      to,
      now,
      from,
    ],
  );
}
