import { checkLedger } from '../src/kernel/ledger/check';
import { fillHistory } from './fill';
import { openServices, tenantWithCards } from './fixtures';
import { openBench, runLoad, startCardApi } from './servers';

const DEPTHS = [0, 10_000, 100_000, 1_000_000];
const CONNECTIONS = 20;
const SECONDS = 8;

/**
 * Measures authorizations per second on one card after different numbers of earlier events. The cost must not grow with
 * them.
 */
export async function benchGrowth(): Promise<void> {
  const bench = await openBench();
  try {
    const services = await openServices(bench);
    const { clientId, clientSecret, cards } = await tenantWithCards(services, 1);
    const id = cards[0] as string;
    const [row] = await services.database.query<{ accountId: string; cardholderId: string; bin: string }>(
      'select account_id as "accountId", cardholder_id as "cardholderId", bin from cards where id = $1',
      [id],
    );
    if (!row) throw new Error('the card was not found');
    const problems = await checkLedger(services.database);
    if (problems.length > 0) throw new Error(JSON.stringify(problems));
    const rows: Record<string, unknown>[] = [];
    for (const [index, depth] of DEPTHS.entries()) {
      if (depth > 0)
        await fillHistory(services.database, clientId, { id, ...row }, DEPTHS[index - 1] ?? 0, depth);
      await services.database.query('vacuum analyze');
      const api = await startCardApi(bench, 'warn');
      const body = JSON.stringify({ cardId: id, type: 'authorization', amount: '0.01' });
      const result = await runLoad({
        port: api.port,
        connections: CONNECTIONS,
        seconds: SECONDS,
        warmUp: 3,
        targets: [{ clientId, clientSecret, body }],
        path: '/sandbox/transactions',
      });
      await api.stop();
      rows.push({
        'events before': depth,
        'authorizations/s': result.perSecond,
        'p50 ms': result.p50,
        'p99 ms': result.p99,
        statuses: JSON.stringify(result.statuses),
      });
    }
    console.table(rows);
    await services.database.close();
  } finally {
    await bench.close();
  }
}
