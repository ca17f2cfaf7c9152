import { spawn } from 'node:child_process';
import { openSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection, Client as TemporalClient } from '@temporalio/client';
import { Client } from 'pg';
import { type Cardwright, cardwright } from '../client/src';
import { connectionUrl } from '../src/startup/embedded/postgres/connection';
import { DATABASE } from '../src/startup/embedded/postgres/server';
import { openServices, tenantWithCards } from './fixtures';
import { openBench, portOf, startBenchTemporal, startRole, stopped, untilAnswers } from './servers';

/** How long an installation is left alone before and during the measurement, in seconds. */
const QUIET_S = Number(process.env['BENCH_QUIET'] ?? 30);
const MEASURED_S = Number(process.env['BENCH_SECONDS'] ?? 60);
/** `all`: one process plays all roles, with its embedded servers. `apart`: an API, a worker, a dispatcher and a signing process. */
const ROLES = process.env['BENCH_ROLES'] ?? 'all';
const DAY_S = 86_400;
/** History events of a turn of a workflow that never ends: three of its workflow task, three of its activity. */
const EVENTS_OF_TURN = 6;
/** The activity of such a turn ends this long before its time-out (activities/slice.ts). */
const SPARE_S = 120;
/** Webhooks after a rest that are measured with `BENCH_ROLES=apart`, and the rest before each, in seconds. */
const FIRST_ONES = Number(process.env['BENCH_FIRST'] ?? 0);
const REST_S = 12;
/** Kinds of statements to list for each process. */
const LISTED = 12;

interface Idle {
  /** A superuser's URL. */
  postgresUrl: string;
  postgresLog: string;
  temporal: string;
  /** Makes an event by the API and waits for its webhook. @returns milliseconds from the request to the webhook */
  firstWebhook?(): Promise<number>;
  close(): Promise<void>;
}

/**
 * Measures what an installation does that waits for nothing: statements a second of each process, from Postgres' own log, and history
 * events a day, from Temporal's own counts.
 */
export async function benchIdle(): Promise<void> {
  const idle = ROLES === 'all' ? await startAll() : await startApart();
  try {
    await logStatements(idle.postgresUrl);
    for (let turn = 0; idle.firstWebhook && turn < FIRST_ONES; turn += 1) {
      await sleep(REST_S * 1_000);
      console.log(`first webhook after a rest: ${(await idle.firstWebhook()).toFixed(0)} ms`);
    }
    await sleep(QUIET_S * 1_000);
    const from = statSync(idle.postgresLog).size;
    await sleep(MEASURED_S * 1_000);
    const text = readFileSync(idle.postgresLog).subarray(from).toString('utf8');
    printStatements(text);
    await printHistory(idle.temporal);
  } finally {
    await idle.close();
  }
}

async function startAll(): Promise<Idle> {
  const dataDir = await mkdtemp(join(tmpdir(), 'cardwright-bench-'));
  const port = portOf('api');
  const log = join(dataDir, 'all.log');
  const output = openSync(log, 'a');
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, ['--require', './scripts/typescript.cjs', 'src/main.ts'], {
    cwd: join(__dirname, '..'),
    stdio: ['ignore', output, output],
    env: {
      PATH,
      HOME,
      DATA_DIR: dataDir,
      PORT: String(port),
      METRICS_PORT: String(port + 5_000),
      TEMPORAL_UI_PORT: '0',
    },
  });
  process.once('exit', () => child.kill());
  const close = async () => {
    await stopped(child);
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    await untilAnswers(`http://127.0.0.1:${port + 5_000}/health/ready`, child, log);
    const read = (file: string) =>
      JSON.parse(readFileSync(join(dataDir, file), 'utf8')) as { port: number; password: string };
    const temporal = read('temporal.json');
    return {
      postgresUrl: connectionUrl(read('postgres.json'), DATABASE),
      postgresLog: join(dataDir, 'postgres.log'),
      temporal: `127.0.0.1:${temporal.port}`,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startApart(): Promise<Idle> {
  const bench = await openBench();
  try {
    const temporal = await startBenchTemporal(bench);
    const services = await openServices(bench);
    const tenant = await tenantWithCards(services, 0);
    bench.before(() => services.database.close());
    const base = `http://127.0.0.1:${portOf('api')}`;
    const environment = {
      TEMPORAL_ADDRESS: temporal.address,
      PUBLIC_URL: base,
      SANDBOX_PARTIES_URL: base,
      WORKER_WEBHOOKS: 'off',
    };
    for (const role of ['signer', 'api', 'worker', 'dispatcher'] as const) {
      const { stop } = await startRole(bench, role, environment);
      bench.before(stop);
    }
    return {
      postgresUrl: bench.ownerUrl,
      postgresLog: join(bench.dataDir, 'postgres.log'),
      temporal: temporal.address,
      firstWebhook: await webhooks(cardwright({ baseUrl: base, ...tenant })),
      close: () => bench.close(),
    };
  } catch (error) {
    await bench.close();
    throw error;
  }
}

async function webhooks(caller: Cardwright): Promise<() => Promise<number>> {
  let arrived: () => void = () => undefined;
  const receiver = createServer((request, response) => {
    request.resume().once('end', () => response.writeHead(204).end());
    arrived();
  });
  await new Promise<void>((resolve) => {
    receiver.listen(0, '127.0.0.1', resolve).unref();
  });
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  await caller.setWebhook({ body: { url, type: 'account' } });
  const [account] = (await caller.listAccounts({ query: { currency: 'USD' } })).data;
  return async () => {
    const heard = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const path = { accountId: account?.id ?? '' };
    const { quoteId } = await caller.quotePayout({ path, body: { method: 'sepa', amount: '20.00' } });
    const destination = { name: 'Ada Byron', iban: 'DE89370400440532013000', bic: 'COBADEFF' };
    const began = performance.now();
    await Promise.all([caller.createPayout({ path, body: { quoteId, destination } }), heard]);
    return performance.now() - began;
  };
}

/** Makes Postgres log each statement with the name of its process. */
async function logStatements(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(`alter system set log_statement = 'all'`);
  await client.query(`alter system set log_line_prefix = '#%a#'`);
  await client.query('select pg_reload_conf()');
  await client.end();
}

function printStatements(text: string): void {
  const found = new Map<string, Map<string, number>>();
  for (const [, process = '', statement = ''] of text.matchAll(
    /^#([^#\n]*)#LOG: {2}(?:statement|execute [^:]*): (.*(?:\n(?!#).*)*)/gm,
  )) {
    const kinds = found.get(process) ?? new Map<string, number>();
    found.set(process, kinds);
    const kind = statement.replace(/\s+/g, ' ').replaceAll('"', '').slice(0, 110);
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  for (const [process, kinds] of found) {
    const sum = [...kinds.values()].reduce((all, count) => all + count, 0);
    console.log(`\n${process}: ${(sum / MEASURED_S).toFixed(2)} statements a second in ${MEASURED_S} s`);
    for (const [kind, count] of [...kinds].sort(([, a], [, b]) => b - a).slice(0, LISTED))
      console.log(`${(count / MEASURED_S).toFixed(2).padStart(8)}  ${kind}`);
  }
}

/**
 * Prints the history events of a day. A workflow that never ends adds a turn for each of its activities, whose length its time-out
 * tells. A schedule adds the events of one run, which is triggered here, for each of its times.
 */
async function printHistory(address: string): Promise<void> {
  const connection = await Connection.connect({ address });
  const client = new TemporalClient({ connection });
  const lines: { what: string; turns: number; events: number }[] = [];
  for await (const { workflowId, type } of client.workflow.list({ query: 'ExecutionStatus = "Running"' })) {
    const handle = client.workflow.getHandle(workflowId);
    const { events = [] } = await handle.fetchHistory();
    const turn = events?.findLast(
      (event) => event.activityTaskScheduledEventAttributes,
    )?.activityTaskScheduledEventAttributes;
    if (!turn) continue;
    const turns = DAY_S / (Number(turn.startToCloseTimeout?.seconds) - SPARE_S);
    lines.push({ what: type, turns, events: turns * EVENTS_OF_TURN });
  }
  for await (const { scheduleId } of client.schedule.list()) {
    const handle = client.schedule.getHandle(scheduleId);
    const { info } = await handle.describe();
    const [first, second] = info.nextActionTimes;
    if (!first || !second) continue;
    const turns = (DAY_S * 1_000) / (second.getTime() - first.getTime());
    await handle.trigger();
    lines.push({
      what: `schedule ${scheduleId}`,
      turns,
      events: turns * (await eventsOfRun(client, handle)),
    });
  }
  const sums = new Map<string, { turns: number; events: number }>();
  for (const { what, turns, events } of lines) {
    const sum = sums.get(what) ?? { turns: 0, events: 0 };
    sums.set(what, { turns: sum.turns + turns, events: sum.events + events });
  }
  console.log('\nhistory events a day');
  for (const [what, { turns, events }] of sums)
    console.log(`${events.toFixed(0).padStart(8)}  ${what}, ${turns.toFixed(0)} turns`);
  const all = [...sums.values()].reduce((sum, { events }) => sum + events, 0);
  console.log(`${all.toFixed(0).padStart(8)}  in all`);
  await connection.close();
}

async function eventsOfRun(
  client: TemporalClient,
  schedule: ReturnType<TemporalClient['schedule']['getHandle']>,
): Promise<number> {
  const deadline = performance.now() + 15_000;
  for (;;) {
    const { info } = await schedule.describe();
    const last = info.recentActions.at(-1)?.action;
    if (last?.type === 'startWorkflow') {
      const found = await client.workflow.getHandle(last.workflow.workflowId).describe();
      if (found.status.name !== 'RUNNING') return found.historyLength;
    }
    if (performance.now() > deadline) throw new Error(`${schedule.scheduleId} does not end`);
    await sleep(200);
  }
}
