import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { median, type Turn } from './comparison';
import { runTurn } from './turn';

const ROOT = join(__dirname, '..');
const APIS = [1, 2, 4];
/** Seconds. Each process warms up by its own share of the requests, so four need longer than one. */
const WARM_UP = process.env['BENCH_WARM_UP'] ?? '12';

/**
 * `npm run bench -- scaling [--turns N] [--connections N]` measures authorizations by one, two and four APIs, each with
 * tenants of its own. A round runs each number once, in random order, because the machine drifts. The load generator's
 * processor time stands apart: a core of the product makes 1 / (API + Postgres time), on any number of cores.
 */
export async function benchScaling(): Promise<void> {
  const { values } = parseArgs({
    args: process.argv.slice(3),
    options: {
      turns: { type: 'string', default: '6' },
      connections: { type: 'string', default: '64' },
    },
  });
  const measured = new Map<number, Turn[]>(APIS.map((apis) => [apis, []]));
  for (let round = 0; round < Number(values.turns); round += 1) {
    for (const apis of shuffled(APIS)) {
      const turn = runTurn(ROOT, {
        BENCH_APIS: String(apis),
        BENCH_CONNECTIONS: values.connections,
        BENCH_ROUTE: 'client',
        BENCH_WARM_UP: WARM_UP,
      });
      console.log(JSON.stringify({ apis, ...turn }));
      measured.get(apis)?.push(turn);
    }
  }
  console.log(`Medians of ${values.turns} turns, ${values.connections} connections, each client at one API`);
  console.table([...measured].map(([apis, turns]) => rowOf(apis, turns)));
}

function rowOf(apis: number, turns: Turn[]): Record<string, string | number> {
  const of = (value: (turn: Turn) => number) => median(turns.map(value));
  const together = of(({ apiMs, postgresMs }) => apiMs + postgresMs);
  return {
    APIs: apis,
    'a second': Math.round(of(({ perSecond }) => perSecond)),
    'API ms': of(({ apiMs }) => apiMs).toFixed(3),
    'Postgres ms': of(({ postgresMs }) => postgresMs).toFixed(3),
    'together ms': together.toFixed(3),
    'generator ms': of(({ generatorMs }) => generatorMs).toFixed(3),
    'a second and core': Math.round(1_000 / together),
    'p50 ms': of(({ p50 }) => p50).toFixed(1),
    'p99 ms': of(({ p99 }) => p99).toFixed(1),
  };
}

function shuffled(values: readonly number[]): number[] {
  const left = [...values];
  return values.map(() => left.splice(randomInt(left.length), 1)[0] as number);
}
