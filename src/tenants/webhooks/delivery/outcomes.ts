import type { Tx } from '../../../kernel/db/database';
import type { EndpointKey } from '../record';
import { laneKey } from './lane';

/**
 * Whether an endpoint counts as failing (decisions part 4, Webhooks): by its last attempts, which its row keeps as bits,
 * 1 for a failure, the last one lowest. What was never tried counts as taken, so an endpoint that takes everything has 0.
 */
const IN_A_ROW = 5;
const WINDOW = 20;
const HALF = WINDOW / 2;

/** How an attempt at an endpoint ended, at the URL that was tried: it says nothing of one that was set since. */
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
  /** Whether any was taken, and the last one was. */
  taken: boolean;
  takenLast: boolean;
}

const MASK = 2 ** WINDOW - 1;

/** Sums outcomes up by endpoint and URL, each in the order given; endpoints in one order, as all that lock several. */
export function seriesOf(outcomes: readonly Outcome[]): Series[] {
  const all = new Map<string, Series>();
  for (const { tenantId, registration, url, ok } of outcomes) {
    const key = `${laneKey({ tenantId, registration })} ${url}`;
    const before = all.get(key) ?? { count: 0, failures: 0, taken: false };
    all.set(key, {
      ...{ tenantId, registration, url },
      count: Math.min(WINDOW, before.count + 1),
      failures: ((before.failures << 1) | (ok ? 0 : 1)) & MASK,
      taken: before.taken || ok,
      takenLast: ok,
    });
  }
  return [...all.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, series]) => series);
}

/**
 * Keeps outcomes with their endpoints. Raw: one statement for many endpoints, of arrays, and bits.
 * @returns the keys of those that count as failing by now, with the URL
 */
export async function noteOutcomes(
  tx: Tx,
  series: Series[],
  now: Date,
): Promise<(EndpointKey & { url: string })[]> {
  return tx.query(
    `with noted as (
       update webhook_endpoints p
          set recent_failures = ((p.recent_failures::bigint << o.count) | o.failures) & ${MASK},
              taken_nothing_since = case when o.taken_last then null when o.taken then $8
                                         else coalesce(p.taken_nothing_since, $8) end
         from unnest($1::text[], $2::text[], $3::text[], $4::int[], $5::int[], $6::boolean[], $7::boolean[])
                as o(tenant_id, registration, url, count, failures, taken, taken_last)
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
      series.map(({ taken }) => taken),
      series.map(({ takenLast }) => takenLast),
      now,
    ],
  );
}
