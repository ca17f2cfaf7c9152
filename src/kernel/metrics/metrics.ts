import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { PoolCounts } from '../db/connections';

/** What the API tells of each answered request; `route` is the pattern, never the address. */
export type Observe = (request: { method: string; route: string; status: number; seconds: number }) => void;

/** What waits in the outbox. */
export interface OutboxCounts {
  /** Commands that Temporal has not taken yet, and those given up after twenty tries. */
  commandsDue: number;
  commandsParked: number;
  /** Webhook deliveries that are due, and those that ended as failed. */
  eventsDue: number;
  eventsFailed: number;
  /** Seconds; zero when nothing waits. */
  oldestCommandAge: number;
  oldestEventAge: number;
}

export interface MetricSources {
  pool?: () => PoolCounts;
  /** Asked at each scrape; when it throws its gauges are left out of that scrape. */
  outbox?: () => Promise<OutboxCounts>;
}

export interface Metrics {
  observe: Observe;
  /** A callback of that party could not be verified. */
  observeForged(party: string): void;
  /** What a party lists of what has changed could not be read. */
  observeUnreadableList(party: string): void;
  /** The text that Prometheus reads. */
  render(): Promise<{ contentType: string; body: string }>;
}

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** The process's own registry: nothing is global, so that two in one process (tests) do not collide. */
export function createMetrics(sources: MetricSources = {}): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time to answer a request, by route pattern.',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: SECONDS,
    registers: [registry],
  });
  const forged = new Counter({
    name: 'callbacks_forged_total',
    help: 'Callbacks that no signature vouched for, by party.',
    labelNames: ['party'] as const,
    registers: [registry],
  });
  const unreadable = new Counter({
    name: 'party_lists_unreadable_total',
    help: "Readings of a party's list of changes that failed, by party.",
    labelNames: ['party'] as const,
    registers: [registry],
  });
  if (sources.pool) addPool(registry, sources.pool);
  const refreshOutbox = sources.outbox ? addOutbox(registry, sources.outbox) : undefined;
  return {
    observe: ({ method, route, status, seconds }) =>
      requests.observe({ method: known(method), route, status: String(status) }, seconds),
    observeForged: (party) => forged.inc({ party }),
    observeUnreadableList: (party) => unreadable.inc({ party }),
    async render() {
      await refreshOutbox?.();
      return { contentType: registry.contentType, body: await registry.metrics() };
    },
  };
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** Whoever sends made-up methods must not make new series. */
function known(method: string): string {
  return METHODS.has(method) ? method : 'other';
}

function addPool(registry: Registry, read: () => PoolCounts): void {
  new Gauge({
    name: 'database_connections',
    help: 'Connections to Postgres, and requests that wait for one.',
    labelNames: ['state'] as const,
    registers: [registry],
    collect() {
      const { total, idle, waiting } = read();
      this.set({ state: 'busy' }, total - idle);
      this.set({ state: 'idle' }, idle);
      this.set({ state: 'waiting' }, waiting);
    },
  });
}

/** @returns reads the counts and sets the gauges: to be awaited before each scrape */
function addOutbox(registry: Registry, read: () => Promise<OutboxCounts>): () => Promise<void> {
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  const readable = gauge('outbox_readable', 'Whether the outbox could be read for this scrape.');
  const commands = gauge('outbox_workflow_commands', 'Commands that Temporal has not taken.', ['state']);
  const events = gauge('outbox_webhook_events', 'Webhook deliveries not made.', ['state']);
  const age = gauge('outbox_oldest_seconds', 'Age of the oldest that is due.', ['kind']);
  return async function refresh() {
    const counts = await read().catch(() => undefined);
    readable.set(counts ? 1 : 0);
    for (const each of [commands, events, age]) each.reset();
    if (!counts) return;
    commands.set({ state: 'due' }, counts.commandsDue);
    commands.set({ state: 'parked' }, counts.commandsParked);
    events.set({ state: 'due' }, counts.eventsDue);
    events.set({ state: 'failed' }, counts.eventsFailed);
    age.set({ kind: 'command' }, counts.oldestCommandAge);
    age.set({ kind: 'event' }, counts.oldestEventAge);
  };
}
