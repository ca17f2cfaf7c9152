import { type Played, playNetwork } from '../scripts/processor/network';
import { quantiles } from '../scripts/processor/report';
import { partySecret } from '../src/parties/sandbox/mount';
import { targetsOf } from './cards';
import { openServices, spreadTenants, tenantWithCards } from './fixtures';
import { openBench, runLoad, startCardApi } from './servers';

const SECONDS = 20;
const WARM_UP = 3;
const CONNECTIONS = 20;
/** Messages per second of the network. The number is low, so that their answer times depend on the load of `cards`. */
const RATE = 50;

/**
 * Measures the answer times of the card processor's messages while `cards` loads the same API with authorizations over
 * 20 connections, spread over 1,000 cards. A network plays on cards of its own.
 */
export async function benchLine(): Promise<void> {
  const bench = await openBench();
  try {
    const services = await openServices(bench);
    const tenants = await spreadTenants(services);
    const { cards } = await tenantWithCards(services, 50);
    await services.database.query('update cards set processor_reference = id where id = any($1)', [cards]);
    await services.database.query('vacuum analyze');
    const api = await startCardApi(bench);
    const load = { port: api.port, connections: CONNECTIONS, targets: targetsOf(tenants) };
    const network = {
      url: `http://127.0.0.1:${api.port}`,
      cards,
      rate: RATE,
      seed: 1,
      secret: partySecret(services.keyring, 'card-processor'),
    };
    await playNetwork({ ...network, seconds: WARM_UP });
    const [loaded, played] = await Promise.all([
      runLoad({ ...load, seconds: SECONDS, warmUp: WARM_UP, path: '/sandbox/transactions' }),
      playNetwork({ ...network, seed: 2, seconds: SECONDS }),
    ]);
    console.log(`authorizations meanwhile: ${loaded.perSecond}/s, p99 ${loaded.p99} ms`);
    for (const line of linesOf(played)) console.log(line);
    await api.stop();
    await services.database.close();
  } finally {
    await bench.close();
  }
}

const linesOf = ({ latencies, wrong }: Played): string[] => [
  ...[...latencies].map(([type, times]) => `${type}: ${times.length} answers, ${quantiles(times)}`),
  ...wrong,
];
