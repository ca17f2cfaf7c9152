import { setTimeout as sleep } from 'node:timers/promises';
import {
  accountOf,
  amountFor,
  type Created,
  createDeposit,
  createPayout,
  inParallel,
  type Kind,
  untilCount,
  type World,
  withInstallation,
} from './installation';
import { spentBy } from './processor-time';

/** Number of deposits that wait for a payer during the measurement. */
const IN_FLIGHT = Number(process.env['BENCH_IN_FLIGHT'] ?? 1_000);
const MEASURED = Number(process.env['BENCH_MEASURED'] ?? 500);
/** Transfers of each kind before the measurement, because the worker has to load its workflows and compile all code. */
const WARM = 100;
const SAMPLE = 40;
/** Time until Temporal's lists show each workflow (src/startup/embedded/temporal/server.ts). */
const LISTED_MS = 2_000;

/** Pays itself and is settled at once, without a browser (src/parties/checkout/sandbox/scenarios.ts). */
const PAYS_ITSELF = '700.01';
const WAITS = '50.00';
/**
 * Received amount of a payout whose party takes twenty seconds and sends no callback
 * (src/parties/sandbox/paying/scenarios.ts).
 */
const SLOW_AND_SILENT = '901.16';
/** None with `BENCH_SLOW=0`. */
const SLOW_ONES = Number(process.env['BENCH_SLOW'] ?? 10);
/** Kinds to measure: `BENCH_KINDS=deposit` selects one. */
const KINDS = (process.env['BENCH_KINDS'] ?? 'deposit,payout').split(',');

/**
 * Measures deposits and payouts from the request to the end, with one API and one worker process and the sandbox's
 * parties. Reports finished transfers per second, the size of their Temporal histories, and the answer time of creation
 * meanwhile.
 */
export const benchProcesses = (): Promise<void> =>
  withInstallation({}, async (world) => console.table(await measure(world)));

async function measure(world: World) {
  const accountId = await accountOf(world);
  const deposit = (amount: string) => () => createDeposit(world.caller, accountId, amount);
  await inParallel(WARM, deposit(PAYS_ITSELF));
  await inParallel(WARM, () => createPayout(world.caller, accountId));
  await untilCount(world, 'deposit', 'completed', WARM);
  await untilCount(world, 'payout', 'completed', WARM);
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
  if (SLOW_ONES > 0) lines.push(await slowAndSilent(world, accountId));
  return lines;
}

async function slowAndSilent(world: World, accountId: string) {
  const amount = await amountFor(world.caller, accountId, SLOW_AND_SILENT);
  const made = await inParallel(SLOW_ONES, () => createPayout(world.caller, accountId, amount));
  await untilCount(
    world,
    'payout',
    'completed',
    WARM + (KINDS.includes('payout') ? MEASURED : 0) + SLOW_ONES,
  );
  const ids = made.map(({ id }) => id);
  const events = await historyEvents(world, ids, 'payout-lifecycle-');
  return { what: 'payouts that take 20 s, without a callback', 'history events each': events.toFixed(1) };
}

function lineOf(kind: string, result: Measured, events: number) {
  return {
    what: `${MEASURED} ${kind}s, ${IN_FLIGHT} deposits in flight`,
    'finished/s': result.perSecond.toFixed(1),
    'history events each': events.toFixed(1),
    'creation p50 ms': percentile(result.latencies, 0.5).toFixed(1),
    'creation p99 ms': percentile(result.latencies, 0.99).toFixed(1),
    ...result.processor,
  };
}

interface Measured {
  ids: string[];
  latencies: number[];
  perSecond: number;
  /** Processor time of each transfer by process in milliseconds, because a busy machine disturbs it least. */
  processor: Record<string, string>;
}

async function run(
  world: World,
  what: Kind,
  count: number,
  create: () => Promise<Created>,
): Promise<Measured> {
  const [spent, began] = [spentBy(world.processes), performance.now()];
  const created = await inParallel(count, create);
  await untilCount(world, what, 'completed', WARM + count);
  const seconds = (performance.now() - began) / 1000;
  return {
    ids: created.map(({ id }) => id),
    latencies: created.map(({ ms }) => ms),
    perSecond: count / seconds,
    processor: spent(count),
  };
}

/** Average number of history events over all runs of a workflow, on a sample. A late callback starts another run. */
async function historyEvents({ temporal }: World, ids: string[], prefix: string): Promise<number> {
  const sample = ids.slice(-SAMPLE);
  await sleep(LISTED_MS);
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
