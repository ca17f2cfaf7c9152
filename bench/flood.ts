import { targetsOf } from './cards';
import { type BenchTenant, openServices, tenantWithCards } from './fixtures';
import type { LoadPlan, LoadResult } from './load';
import { openBench, runLoad, startCardApi } from './servers';

const TURNS = 3;
const SECONDS = 4;
/** The burst of the flooding tenant is spent meanwhile. */
const WARM_UP = 3;
/** The tenant within its limit sends steady traffic, far below what the API can do. */
const QUIET = { connections: 10, pause: 50 };
const FLOODING_CONNECTIONS = 50;
/** The default of a tenant. */
const LIMIT = '{"rateLimit":{"perSecond":100,"burst":200}}';

/** The other tenant's traffic meanwhile. */
const FLOODS = ['none', 'beyond its limit', 'wrong secrets'] as const;
type Flood = (typeof FLOODS)[number];

/**
 * Measures the answer times of a tenant's authorizations while another tenant floods the same API over 50 connections,
 * each with its next request at once. The kinds of floods alternate in random order; the table has their medians.
 */
export async function benchFlood(): Promise<void> {
  const bench = await openBench();
  try {
    const services = await openServices(bench);
    const quiet = await tenantWithCards(services, 100);
    const flooding = await tenantWithCards(services, 20);
    await services.database.query('update tenants set settings = $2 where id = $1', [
      flooding.clientId,
      LIMIT,
    ]);
    await services.database.query('vacuum analyze');
    const api = await startCardApi(bench);
    const plan = { port: api.port, warmUp: WARM_UP, seconds: SECONDS, path: '/sandbox/transactions' };
    const found = new Map<Flood, Turn[]>(FLOODS.map((flood) => [flood, []]));
    for (let turn = 0; turn < TURNS; turn += 1)
      for (const flood of shuffled(FLOODS))
        found.get(flood)?.push(await measured(plan, flood, quiet, flooding));
    await api.stop();
    await services.database.close();
    console.table([...found].map(([flood, turns]) => rowOf(flood, turns)));
  } finally {
    await bench.close();
  }
}

interface Turn {
  quiet: LoadResult;
  flooding: LoadResult | undefined;
}

async function measured(
  plan: Pick<LoadPlan, 'port' | 'warmUp' | 'seconds' | 'path'>,
  flood: Flood,
  quiet: BenchTenant,
  flooding: BenchTenant,
): Promise<Turn> {
  const clientSecret = flood === 'wrong secrets' ? 'wrong' : flooding.clientSecret;
  const targets = targetsOf([{ ...flooding, clientSecret }]);
  const [one, other] = await Promise.all([
    runLoad({ ...plan, ...QUIET, targets: targetsOf([quiet]) }),
    flood === 'none'
      ? undefined
      : runLoad({ ...plan, connections: FLOODING_CONNECTIONS, targets, refusals: true }),
  ]);
  return { quiet: one, flooding: other };
}

function rowOf(flood: Flood, turns: Turn[]): Record<string, unknown> {
  const middle = (value: (turn: Turn) => number) =>
    turns.map(value).sort((a, b) => a - b)[Math.floor(turns.length / 2)];
  return {
    'other tenant': flood,
    'its requests/s': middle(({ flooding }) => flooding?.perSecond ?? 0),
    'authorizations/s': middle(({ quiet }) => quiet.perSecond),
    'p50 ms': middle(({ quiet }) => quiet.p50),
    'p99 ms': middle(({ quiet }) => quiet.p99),
    'p99 of each turn': turns.map(({ quiet }) => Math.round(quiet.p99)).join(' '),
    statuses: JSON.stringify(turns.at(-1)?.quiet.statuses),
  };
}

const shuffled = <T>(values: readonly T[]): T[] =>
  values
    .map((value) => ({ value, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ value }) => value);
