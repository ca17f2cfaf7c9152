import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { buildId } from '../build';
import type { PoolCounts } from '../db/connections';
import type { Database } from '../db/database';
import { type GaugeName, METRICS, type MetricName, type Sample } from './definitions';
import { MACHINE_GAUGES, type Machine, readMachine } from './machine';
import type { Observers } from './observers';
import { createReader, type Known, type Reading, type ReadingOptions } from './readings';

/** Records an answered request. `route` is the pattern, never the path, because paths hold ids. */
export type Observe = (request: { method: string; route: string; status: number; seconds: number }) => void;

export interface MetricSources extends ReadingOptions {
  /** Role of the process, as its argument names it. Default: `all`. */
  role?: string;
  pool?: () => PoolCounts;
  database?: Database;
  machine?: Machine;
  /** URL of metrics of another library in this process, which each scrape gets too. Undefined while there are none. */
  beside?: () => string | undefined;
  /** Read from the database at each scrape. A reading that fails is left out of the scrape. */
  readings?: () => readonly Reading[];
}

export interface Metrics {
  observe: Observe;
  observers: Observers;
  /** Metrics in the text format of Prometheus. */
  render(): Promise<{ contentType: string; body: string }>;
}

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

type Made = Record<MetricName, Counter | Gauge | Histogram>;

/** Creates a registry per process. Nothing is global, so that two in one process (tests) do not collide. */
export function createMetrics(sources: MetricSources = {}): Metrics {
  const { role = 'all', pool, database, readings, machine, beside = () => undefined, ...options } = sources;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const metrics = madeIn(registry);
  (metrics.build_info as Gauge).set({ build: buildId(), node: process.versions.node, role }, 1);
  const requests = metrics.http_request_duration_seconds as Histogram;
  const read = database && readings && createReader(database, readings, options);
  return {
    observe: ({ method, route, status, seconds }) =>
      requests.observe({ method: known(method), route, status: String(status) }, seconds),
    observers: observersOf(metrics),
    async render() {
      if (pool) setPool(metrics, pool());
      if (machine) setSamples(metrics, MACHINE_GAUGES, await readMachine(machine));
      if (read) setRead(metrics, await read());
      const others = await askedFor(beside(), metrics.metrics_reading_up as Gauge);
      return { contentType: registry.contentType, body: (await registry.metrics()) + others };
    },
  };
}

const BESIDE_MS = 1_000;

/** Metrics of the Temporal SDK, whose native core serves them itself. Each name begins with `temporal_`. */
async function askedFor(url: string | undefined, up: Gauge): Promise<string> {
  if (url === undefined) return '';
  const text = await fetch(url, { signal: AbortSignal.timeout(BESIDE_MS) })
    .then((answer) => (answer.ok ? answer.text() : undefined))
    .catch(() => undefined);
  up.set({ reading: 'temporal_sdk' }, text === undefined ? 0 : 1);
  return text ?? '';
}

function madeIn(registry: Registry): Made {
  const made = Object.entries(METRICS).map(([name, { type, labels, help }]) => {
    const of = { name, help, labelNames: [...labels], registers: [registry] };
    if (type === 'counter') return [name, new Counter(of)];
    return [name, type === 'gauge' ? emptied(new Gauge(of)) : new Histogram({ ...of, buckets: SECONDS })];
  });
  return Object.fromEntries(made) as Made;
}

/** A gauge without a series. Otherwise a gauge without labels would show 0 for a value that nobody has read. */
function emptied(gauge: Gauge): Gauge {
  gauge.reset();
  gauge.remove({});
  return gauge;
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** Maps made-up methods to `other`, because each label value creates a series. */
function known(method: string): string {
  return METHODS.has(method) ? method : 'other';
}

function observersOf(metrics: Made): Observers {
  const count = (name: MetricName, labels: Record<string, string>) => (metrics[name] as Counter).inc(labels);
  return {
    observeForged: (party) => count('callbacks_forged_total', { party }),
    observeUnreadableList: (party) => count('party_lists_unreadable_total', { party }),
    observeUnusable: (party, what) => count('party_input_unusable_total', { party, what }),
    observePartyCall({ party, operation, outcome, seconds }) {
      count('party_calls_total', { party, operation, outcome });
      (metrics.party_call_duration_seconds as Histogram).observe({ party, operation }, seconds);
    },
    observeBreaker: (gate, party, open) =>
      (metrics.party_breaker_open as Gauge).set({ gate, party }, open ? 1 : 0),
    observeChainHead(chain, at) {
      const head = metrics.chain_head_timestamp_seconds as Gauge;
      if (at) head.set({ chain }, at.getTime() / 1000);
      else head.remove({ chain });
    },
    observeAuthorization(outcome, reason) {
      count('card_authorizations_total', { outcome });
      if (reason !== null) count('card_declines_total', { reason });
    },
    observeMoved: ({ kind, currency, amount }) =>
      (metrics.money_moved_total as Counter).inc({ kind, currency }, amount.toNumber()),
    observeTurn: ({ kind, status }) => count('transfer_statuses_total', { kind, status }),
    observeWebhook: (outcome, seconds) =>
      (metrics.webhook_attempt_duration_seconds as Histogram).observe({ outcome }, seconds),
    observeFailedSignIn: () => count('sign_ins_failed_total', {}),
    observeSensitive: (outcome) => count('sensitive_requests_total', { outcome }),
  };
}

function setPool(metrics: Made, { total, idle, waiting }: PoolCounts): void {
  const connections = metrics.database_connections as Gauge;
  connections.set({ state: 'busy' }, total - idle);
  connections.set({ state: 'idle' }, idle);
  connections.set({ state: 'waiting' }, waiting);
}

/** Resets gauges first, so that series without a value disappear. */
function setSamples(metrics: Made, gauges: readonly GaugeName[], samples: readonly Sample[]): void {
  for (const gauge of gauges) emptied(metrics[gauge] as Gauge);
  for (const { gauge, labels, value } of samples) (metrics[gauge] as Gauge).set(labels, value);
}

function setRead(metrics: Made, known: Known): void {
  for (const [{ name, gauges }, samples] of known) {
    (metrics.metrics_reading_up as Gauge).set({ reading: name }, samples ? 1 : 0);
    setSamples(metrics, gauges, samples ?? []);
  }
}
