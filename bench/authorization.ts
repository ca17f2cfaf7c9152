import type { Database } from '../src/kernel/db/database';
import { targetsOf } from './cards';
import { openServices, spreadTenants } from './fixtures';
import { processorTime } from './processor-time';
import { openBench, runLoad, startCardApi } from './servers';

const SECONDS = 10;
const CONNECTIONS = Number(process.env['BENCH_CONNECTIONS'] ?? 20);

/**
 * What one authorization costs: processor time of the API and of Postgres, with cards spread over 50 tenants. One turn;
 * to compare two versions, take turns of each alternately and compare their medians.
 */
export async function benchAuthorization(): Promise<void> {
  const bench = await openBench();
  try {
    const services = await openServices(bench);
    const tenants = await spreadTenants(services);
    await services.database.query('vacuum analyze');
    const api = await startCardApi(bench);
    const plan = { port: api.port, connections: CONNECTIONS, targets: targetsOf(tenants) };
    await runLoad({ ...plan, seconds: 1, warmUp: 3, path: '/sandbox/transactions' });
    const read = async () => ({
      api: processorTime(api.pid),
      postgres: processorTime(bench.postgresPid()),
      count: await authorizations(services.database),
    });
    const before = await read();
    const { perSecond, p50, p99 } = await runLoad({
      ...plan,
      seconds: SECONDS,
      warmUp: 0,
      path: '/sandbox/transactions',
    });
    const after = await read();
    const each = (ms: number) => (ms / (after.count - before.count)).toFixed(3);
    console.log(
      JSON.stringify({
        apiMs: each(after.api - before.api),
        postgresMs: each(after.postgres - before.postgres),
        ...{ perSecond, p50, p99 },
      }),
    );
    await api.stop();
    await services.database.close();
  } finally {
    await bench.close();
  }
}

async function authorizations(database: Database): Promise<number> {
  const [row] = await database.query<{ count: string }>('select count(*) from card_transactions');
  return Number(row?.count);
}
