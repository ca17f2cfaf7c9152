import type { Sql, Tx } from '../../kernel/db/database';
import type { NextProbe } from './delivery/schedule';
import { type EndpointKey, endpointTransition } from './record';

/**
 * Whether an endpoint counts as failing (decisions part 4, Webhooks): by what it has taken lately and the events that it has
 * refused, which its row keeps as bits, 1 for a failure, the last one lowest. An event counts when it is refused first: that it
 * is refused again says nothing new, so one bad event does not silence an endpoint, however often it is tried. What was never
 * tried counts as taken, so an endpoint that takes everything has 0.
 */
const IN_A_ROW = 5;
const WINDOW = 20;
const HALF = WINDOW / 2;

/** How an attempt that counts ended, at the URL that was tried: it says nothing of one that was set since. */
export interface Outcome extends EndpointKey {
  url: string;
  ok: boolean;
}

/** The outcomes of one endpoint, in one number. */
export interface Series extends EndpointKey {
  url: string;
  /** Attempts, {@link WINDOW} at most. */
  count: number;
  /** A bit an attempt, 1 for a failure, the last one lowest. */
  failures: number;
}

const MASK = 2 ** WINDOW - 1;

/** Sums outcomes up by endpoint and URL, each in the order given; endpoints in one order, as all that lock several. */
export function seriesOf(outcomes: readonly Outcome[]): Series[] {
  const all = new Map<string, Series>();
  for (const { tenantId, registration, url, ok } of outcomes) {
    const key = `${tenantId} ${registration} ${url}`;
    const before = all.get(key) ?? { count: 0, failures: 0 };
    all.set(key, {
      ...{ tenantId, registration, url },
      count: Math.min(WINDOW, before.count + 1),
      failures: ((before.failures << 1) | (ok ? 0 : 1)) & MASK,
    });
  }
  return [...all.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, series]) => series);
}

/**
 * Keeps outcomes with their endpoints. Raw: one statement for many endpoints, of arrays, and bits.
 * @returns the keys of those that count as failing by now, with the URL
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
  /** That was tried: an answer of a former URL says nothing of the present one. */
  url: string;
  code: string;
  /** Where its schedule begins. */
  first: NextProbe;
}

/**
 * The first probe is made when the schedule says so, or when the first event that is in nobody's hands is to be tried, if
 * that is later: an endpoint waits for what a receiver asked for (`Retry-After`) only where all that waits for it does.
 * @returns those that were active and have begun to fail. Raw: one statement for many endpoints, of arrays.
 */
export async function markFailing(sql: Sql, failed: FailedEndpoint[], now: Date): Promise<EndpointKey[]> {
  const { from, to } = endpointTransition('counts_as_failing');
  return sql.query<EndpointKey>(
    `update webhook_endpoints p
        set status = $7, failing_since = $8::timestamptz, probes = f.index, last_error = f.code, updated_at = $8::timestamptz,
            next_probe_at = $8::timestamptz + greatest(f.ms * interval '1 millisecond', (
              select e.due_at - clock_timestamp() from events e
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
