import { checkLedger } from '../src/kernel/ledger/check';
import { type BenchTenant, openServices, spreadTenants, tenantWithCards } from './fixtures';
import type { LoadTarget } from './load';
import { openBench, runLoad, startCardApi, tpcB } from './servers';

const CONNECTIONS = [20, 64];
const SECONDS = 10;

/**
 * Measures authorizations per second through HTTP with every feature on: spread over 1,000 cards of 50 tenants, and
 * with 1,000 cards on one master account. Measures TPC-B on the same server in the same run.
 */
export async function benchCards(): Promise<void> {
  const bench = await openBench();
  try {
    const services = await openServices(bench);
    const spread = await spreadTenants(services);
    const hot = [await tenantWithCards(services, 1_000)];
    await services.database.query('vacuum analyze');
    const baseline = await tpcB(bench, CONNECTIONS);
    const api = await startCardApi(bench);
    const rows: Record<string, unknown>[] = [];
    for (const [name, tenants] of [
      ['spread', spread],
      ['hot', hot],
    ] as const) {
      for (const connections of CONNECTIONS) {
        const result = await runLoad({
          port: api.port,
          connections,
          seconds: SECONDS,
          warmUp: 3,
          targets: targetsOf(tenants),
          path: '/sandbox/transactions',
        });
        const tps = baseline?.get(connections);
        rows.push({
          load: name,
          connections,
          'authorizations/s': result.perSecond,
          'TPC-B/s': tps ?? 'no pgbench',
          ratio: tps ? (result.perSecond / tps).toFixed(2) : '',
          'p50 ms': result.p50,
          'p99 ms': result.p99,
          statuses: JSON.stringify(result.statuses),
        });
      }
    }
    await api.stop();
    console.table(rows);
    const problems = await checkLedger(services.database);
    console.log(problems.length === 0 ? 'The ledger check passes.' : problems);
    await services.database.close();
  } finally {
    await bench.close();
  }
}

const authorizationOf = (cardId: string) => ({
  cardId,
  type: 'authorization',
  amount: '0.01',
  merchant: { name: 'Bench', mcc: '5411' },
});

export const targetsOf = (
  tenants: BenchTenant[],
  bodyOf: (cardId: string) => object = authorizationOf,
): LoadTarget[] =>
  tenants.flatMap(({ clientId, clientSecret, cards }) =>
    cards.map((cardId) => ({ clientId, clientSecret, body: JSON.stringify(bodyOf(cardId)) })),
  );
