import type { Database } from '../src/kernel/db/database';
import { partySecret } from '../src/parties/sandbox/mount';
import { targetsOf } from './cards';
import { median } from './comparison';
import { openServices, spreadTenants } from './fixtures';
import { processorTime } from './processor-time';
import { openBench, portOf, runLoad, startCardApi } from './servers';

const SECONDS = 10;
const WARM_UP_SECONDS = Number(process.env['BENCH_WARM_UP'] ?? 3);
const CONNECTIONS = Number(process.env['BENCH_CONNECTIONS'] ?? 20);
/** Number of API processes. They share the connections. */
const APIS = Number(process.env['BENCH_APIS'] ?? 1);

/** Each process serves its own tenants, as behind a balancer that hashes the client's id. */
const BY_CLIENT = process.env['BENCH_ROUTE'] === 'client';

/** By the card processor's line, as in production. Default: by the sandbox's endpoint for clients. */
const BY_LINE = process.env['BENCH_LINE'] === 'on';

/**
 * Measures the cost of one authorization: processor time of the API and of Postgres, with cards spread over 50 tenants.
 * This is one turn. To compare two versions, take turns of each in random order and compare their medians (`compare`).
 */
export async function benchAuthorization(): Promise<void> {
  const bench = await openBench();
  try {
    const services = await openServices(bench);
    const tenants = await spreadTenants(services);
    if (BY_LINE) await services.database.query('update cards set processor_reference = id');
    await services.database.query('vacuum analyze');
    const plan = BY_LINE
      ? {
          path: '/processor/v1/messages',
          processor: partySecret(services.keyring, 'card-processor').toString('base64'),
        }
      : { path: '/sandbox/transactions' };
    const bodyOf = BY_LINE ? messageOf : undefined;
    const apis = await Promise.all(
      Array.from({ length: APIS }, (_, index) => startCardApi(bench, 'info', portOf('api') + index)),
    );
    const load = (seconds: number, warmUp: number) =>
      Promise.all(
        apis.map(({ port }, index) =>
          runLoad({
            port,
            connections: CONNECTIONS / APIS,
            targets: targetsOf(
              BY_CLIENT ? tenants.filter((_, place) => place % APIS === index) : tenants,
              bodyOf,
            ),
            ...plan,
            seconds,
            warmUp,
          }),
        ),
      );
    await load(1, WARM_UP_SECONDS);
    const read = async () => ({
      api: apis.reduce((sum, { pid }) => sum + processorTime(pid), 0),
      postgres: processorTime(bench.postgresPid()),
      ...(await written(services.database)),
    });
    const before = await read();
    const results = await load(SECONDS, 0);
    const after = await read();
    const each = (ms: number) => (ms / (after.count - before.count)).toFixed(3);
    console.log(
      JSON.stringify({
        apiMs: each(after.api - before.api),
        postgresMs: each(after.postgres - before.postgres),
        generatorMs: each(results.reduce((sum, { ownMs }) => sum + ownMs, 0)),
        perSecond: results.reduce((sum, { perSecond }) => sum + perSecond, 0),
        p50: median(results.map(({ p50 }) => p50)),
        p99: Math.max(...results.map(({ p99 }) => p99)),
        perCommit: ((after.count - before.count) / (after.commits - before.commits)).toFixed(1),
      }),
    );
    await Promise.all(apis.map((api) => api.stop()));
    await services.database.close();
  } finally {
    await bench.close();
  }
}

/** A message about a card, without the names that each message has of its own. */
const messageOf = (cardReference: string) => ({
  type: 'authorization',
  cardReference,
  amount: '0.01',
  currency: 'USD',
  final: false,
  merchant: { name: 'Bench', mcc: '5411', city: 'Vienna', country: 'AT' },
});

/** Card transactions, and the database's commits, which include the product's other reads and writes. */
async function written(database: Database): Promise<{ count: number; commits: number }> {
  await database.query('select pg_stat_force_next_flush()');
  const [row] = await database.query<{ count: string; commits: string }>(
    `select (select count(*) from card_transactions) as count,
            (select xact_commit from pg_stat_database where datname = current_database()) as commits`,
  );
  return { count: Number(row?.count), commits: Number(row?.commits) };
}
