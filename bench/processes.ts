import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection, Client as TemporalClient } from '@temporalio/client';
import { Pool } from 'undici';
import type { Composed } from '../src/composition';
import { DECLARED_SEARCH_ATTRIBUTES } from '../src/kernel/temporal/search-attributes';
import { startTemporal } from '../src/startup/embedded/temporal';
import { temporalExecutable } from '../src/startup/embedded/temporal-binary';
import { defaultCacheDir } from '../src/startup/embedded/tool-cache';
import { type BenchTenant, openServices, tenantWithCards } from './fixtures';
import { processorTime } from './processor-time';
import { openBench, startRole } from './servers';

/** Deposits that wait for a payer while the others are measured. */
const IN_FLIGHT = Number(process.env['BENCH_IN_FLIGHT'] ?? 1_000);
const MEASURED = Number(process.env['BENCH_MEASURED'] ?? 500);
/** Requests under way at once. */
const CALLERS = 8;
const SAMPLE = 40;
/** Give up: something stands still. */
const PATIENCE_MS = 10 * 60_000;

/** Pays itself and is settled at once (src/parties/checkout/sandbox/scenarios.ts): no browser is needed. */
const PAYS_ITSELF = '700.01';
const WAITS = '50.00';
/** Only these, where one is looked into: `BENCH_KINDS=deposit`. */
const KINDS = (process.env['BENCH_KINDS'] ?? 'deposit,payout').split(',');
const DESTINATION = { name: 'Ada Byron', iban: 'DE89370400440532013000', bic: 'COBADEFF' };

/**
 * Deposits and payouts from the request to the end, by one API and one worker process with the sandbox's parties: how many
 * a second are finished, what each costs of Temporal's history, and what a caller waits for creation meanwhile.
 */
export async function benchProcesses(): Promise<void> {
  const bench = await openBench();
  const executable = await temporalExecutable({
    environment: process.env,
    cacheDir: defaultCacheDir(process.env),
  });
  const temporal = await startTemporal({
    dataDir: bench.dataDir,
    executable,
    searchAttributes: DECLARED_SEARCH_ATTRIBUTES,
    log: { info: () => undefined, warn: (line: string) => console.error(line) },
  });
  try {
    const services = await openServices(bench);
    const tenant = await tenantWithCards(services, 0);
    const environment = { TEMPORAL_ADDRESS: temporal.address, LOG_LEVEL: 'warn' };
    const api = await startRole(bench, 'api', environment);
    const base = `http://127.0.0.1:${api.port}`;
    const worker = await startRole(bench, 'worker', {
      ...environment,
      PUBLIC_URL: base,
      SANDBOX_PARTIES_URL: base,
    });
    const connection = await Connection.connect({ address: temporal.address });
    const caller = openCaller(base, tenant);
    const processes = {
      API: () => api.pid,
      worker: () => worker.pid,
      Postgres: bench.postgresPid,
      Temporal: temporal.pid,
    };
    const client = new TemporalClient({ connection });
    console.table(await measure({ processes, services, temporal: client, caller, tenant }));
    await caller.close();
    await connection.close();
    await worker.stop();
    await api.stop();
    await services.database.close();
  } finally {
    await temporal.stop();
    await bench.close();
  }
}

interface World {
  /** Whose processor time is told apart. */
  processes: Record<string, () => number>;
  services: Composed;
  temporal: TemporalClient;
  caller: Caller;
  tenant: BenchTenant;
}

async function measure(world: World) {
  const accountId = await accountOf(world);
  const deposit = (amount: string) => () => createDeposit(world.caller, accountId, amount);
  await inParallel(IN_FLIGHT, deposit(WAITS));
  await untilCount(world, 'deposit', 'awaiting_payment', IN_FLIGHT);
  const kinds = {
    deposit: { create: deposit(PAYS_ITSELF), prefix: 'deposit-' },
    payout: { create: () => createPayout(world.caller, accountId), prefix: 'payout-lifecycle-' },
  };
  const lines = [];
  for (const [kind, { create, prefix }] of Object.entries(kinds)) {
    if (!KINDS.includes(kind)) continue;
    const result = await run(world, kind as Kind, MEASURED, create);
    lines.push(lineOf(kind, result, await historyEvents(world, result.ids, prefix)));
  }
  return lines;
}

type Kind = 'deposit' | 'payout';

function lineOf(kind: string, result: Measured, events: number) {
  return {
    what: `${MEASURED} ${kind}s, ${IN_FLIGHT} deposits in flight`,
    'finished/s': result.perSecond.toFixed(1),
    'history events each': events.toFixed(1),
    'creation p50 ms': percentile(result.latencies, 0.5).toFixed(1),
    'creation p99 ms': percentile(result.latencies, 0.99).toFixed(1),
    ...Object.fromEntries(
      Object.entries(result.processor).map(([name, ms]) => [`${name} ms`, ms.toFixed(1)]),
    ),
  };
}

interface Created {
  id: string;
  /** Of the creation alone, milliseconds: quoting comes before. */
  ms: number;
}

interface Measured {
  ids: string[];
  latencies: number[];
  perSecond: number;
  /** Milliseconds of processor that each took, by process: a busy machine disturbs it least. */
  processor: Record<string, number>;
}

async function run(
  world: World,
  what: Kind,
  count: number,
  create: () => Promise<Created>,
): Promise<Measured> {
  const used = () =>
    Object.entries(world.processes).map(([name, pid]) => [name, processorTime(pid())] as const);
  const [before, began] = [new Map(used()), performance.now()];
  const created = await inParallel(count, create);
  await untilCount(world, what, 'completed', count);
  const seconds = (performance.now() - began) / 1000;
  const spent = used().map(([name, ms]) => [name, (ms - (before.get(name) ?? 0)) / count]);
  return {
    ids: created.map(({ id }) => id),
    latencies: created.map(({ ms }) => ms),
    perSecond: count / seconds,
    processor: Object.fromEntries(spent) as Record<string, number>,
  };
}

async function inParallel<T>(count: number, work: () => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let begun = 0;
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      while (begun < count) {
        begun += 1;
        results.push(await work());
      }
    }),
  );
  return results;
}

async function accountOf({ caller }: World): Promise<string> {
  const { data } = (await caller.get('/v2/accounts')) as { data: { id: string; currency: string }[] };
  const account = data.find(({ currency }) => currency === 'USD');
  if (!account) throw new Error('the tenant has no USD account');
  return account.id;
}

async function createDeposit(caller: Caller, accountId: string, amount: string): Promise<Created> {
  const path = `/v2/accounts/${accountId}`;
  const { quoteId } = await caller.post(`${path}/deposit-quote`, { method: 'card', amount, currency: 'USD' });
  return timed(() => caller.post(`${path}/deposits`, { quoteId, returnUrl: 'https://shop.example/back' }));
}

async function createPayout(caller: Caller, accountId: string): Promise<Created> {
  const path = `/v2/accounts/${accountId}`;
  const { quoteId } = await caller.post(`${path}/payout-quote`, { method: 'sepa', amount: '20.00' });
  return timed(() => caller.post(`${path}/payouts`, { quoteId, destination: DESTINATION }));
}

async function timed(create: () => Promise<{ id?: string }>): Promise<Created> {
  const began = performance.now();
  const { id = '' } = await create();
  return { id, ms: performance.now() - began };
}

/** Asks the database: the API is not to be measured while it is asked. */
async function untilCount(
  { services, tenant }: World,
  kind: Kind,
  status: string,
  count: number,
): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const [row] = await services.database.query<{ count: string }>(
      `select count(*) from transfers where tenant_id = $1 and kind = $2 and status = $3`,
      [tenant.clientId, kind, status],
    );
    if (Number(row?.count) >= count) return;
    if (performance.now() > deadline)
      throw new Error(`${row?.count} of ${count} are ${status}, and no more: ${kind}`);
    await sleep(100);
  }
}

/** Of all runs of a process, on average over a sample: a late callback starts another run. */
async function historyEvents({ temporal }: World, ids: string[], prefix: string): Promise<number> {
  const sample = ids.slice(-SAMPLE);
  let events = 0;
  for (const id of sample) {
    const query = `WorkflowId = "${prefix}${id}"`;
    for await (const { runId } of temporal.workflow.list({ query })) {
      events += (await temporal.workflow.getHandle(prefix + id, runId).describe()).historyLength;
    }
  }
  return events / sample.length;
}

function percentile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

type Caller = ReturnType<typeof openCaller>;

/** One client of the API. @throws Error for anything but success */
function openCaller(base: string, { clientId, clientSecret }: BenchTenant) {
  const pool = new Pool(base, { connections: CALLERS });
  const headers = { 'x-client-id': clientId, 'x-client-secret': clientSecret };

  async function call(method: 'GET' | 'POST', path: string, body?: object): Promise<unknown> {
    const answer = await pool.request({
      method,
      path,
      headers: { ...headers, 'content-type': 'application/json', 'x-idempotency-key': randomUUID() },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${text}`);
    return JSON.parse(text) as unknown;
  }

  return {
    get: (path: string) => call('GET', path),
    post: (path: string, body: object) =>
      call('POST', path, body) as Promise<{ id?: string; quoteId?: string }>,
    close: () => pool.close(),
  };
}
