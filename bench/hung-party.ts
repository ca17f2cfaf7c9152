import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  accountOf,
  type Created,
  createDeposit,
  createTopup,
  untilCount,
  type World,
  withInstallation,
} from './installation';

const MEASURED = Number(process.env['BENCH_MEASURED'] ?? 300);
/** How long the hanging party takes, in milliseconds. */
const HANGS_MS = 10_000;
/**
 * Deposits started per second, whatever the state of earlier ones, and fewer than the capacity. Top-ups call the
 * hanging party.
 */
const DEPOSITS_PER_SECOND = 4;
const TOPUPS_PER_SECOND = 3;
const HUNG = '/sandbox/providers/external-cards/';
const PAYS_ITSELF = '700.01';

/**
 * Measures deposits from creation to end by the database's clock: first with all parties working, then with a card
 * acquirer that takes ten seconds for every call. Top-ups call the acquirer all the time in both phases.
 */
export async function benchHungParty(): Promise<void> {
  const party = { hangs: false };
  const proxy = createProxy(party);
  await withInstallation({ partiesUrl: proxy.listen }, async (world) => {
    const accountId = await accountOf(world);
    const asking = new AbortController();
    const asked = askAgainAndAgain(world, accountId, asking.signal);
    await sleep(HANGS_MS); // warm-up
    const well = await finishing(world, accountId);
    party.hangs = true;
    await sleep(2 * HANGS_MS);
    const hung = await finishing(world, accountId);
    asking.abort();
    await asked;
    console.table([
      { parties: 'all well', ...well },
      { parties: `card acquirer hangs ${HANGS_MS / 1000} s`, ...hung },
    ]);
  });
  proxy.close();
}

async function finishing(world: World, accountId: string) {
  const before = await finished(world);
  const beginning: Promise<Created>[] = [];
  for (let count = 0; count < MEASURED; count += 1) {
    beginning.push(createDeposit(world.caller, accountId, PAYS_ITSELF));
    await sleep(1000 / DEPOSITS_PER_SECOND);
  }
  const made = await Promise.all(beginning);
  await untilCount(world, 'deposit', 'completed', before + MEASURED);
  const rows = await world.services.database.query<{ ms: string }>(
    `select extract(epoch from (reached->>'completed')::timestamptz - created_at) * 1000 as ms
       from transfers where id = any($1) order by ms`,
    [made.map(({ id }) => id)],
  );
  const at = (share: number) => Number(rows[Math.floor(rows.length * share)]?.ms ?? Number.NaN).toFixed(0);
  return { 'p50 ms': at(0.5), 'p99 ms': at(0.99) };
}

async function finished({ services, tenant }: World): Promise<number> {
  const [row] = await services.database.query<{ count: string }>(
    `select count(*) from transfers where tenant_id = $1 and kind = 'deposit' and status = 'completed'`,
    [tenant.clientId],
  );
  return Number(row?.count);
}

async function askAgainAndAgain(world: World, accountId: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await createTopup(world.caller, accountId);
    await sleep(1000 / TOPUPS_PER_SECOND, undefined, { signal }).catch(() => undefined);
  }
}

/** A proxy between the product and the parties. It can make one party hang. */
function createProxy(party: { hangs: boolean }) {
  let base = '';
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url = '' } = incoming;
    const pass = () => {
      const target = new URL(url, base);
      const passed = forward(target, { method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      passed.on('error', () => outgoing.destroy());
      incoming.pipe(passed);
    };
    if (party.hangs && url.startsWith(HUNG)) setTimeout(pass, HANGS_MS).unref();
    else pass();
  });
  return {
    async listen(target: string): Promise<string> {
      base = target;
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
