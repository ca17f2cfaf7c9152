import { setMaxListeners } from 'node:events';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { NativeConnection, Worker, type WorkerOptions, type WorkflowBundleOption } from '@temporalio/worker';
import type { Logger } from 'pino';
import { buildId } from '../src/kernel/build';
import { ACTIVITY_QUEUES, PROBES_QUEUE, QUEUES } from '../src/kernel/outbox/queues';
import type { Keyring } from '../src/kernel/security/keyring';
import { createDataConverter } from '../src/kernel/temporal/codec';
import { reachOf, type TemporalOptions } from '../src/kernel/temporal/connection';
import type { Presence } from '../src/kernel/temporal/presence';
import { isTracing } from '../src/kernel/tracing/trace';
import { activityErrors } from './activity-errors';
import { workflowBundle } from './bundle';
import { installRuntime } from './logger';
import { isAwake } from './patches';
import { tracedActivities, traceSinks } from './traced';

type ActivityQueue = (typeof ACTIVITY_QUEUES)[number];
export type Queue = (typeof QUEUES)[keyof typeof QUEUES] | ActivityQueue;

/** Queues whose activities call endpoints of tenants. */
export const WEBHOOK_QUEUES: readonly Queue[] = [QUEUES.webhooks, PROBES_QUEUE];
const ALL_QUEUES: readonly Queue[] = [...Object.values(QUEUES), ...ACTIVITY_QUEUES];
/** The queues that call no endpoint of a tenant. */
export const PROCESS_QUEUES: readonly Queue[] = ALL_QUEUES.filter((queue) => !WEBHOOK_QUEUES.includes(queue));
type Tuning = Pick<
  WorkerOptions,
  | 'maxConcurrentActivityTaskExecutions'
  | 'maxConcurrentActivityTaskPolls'
  | 'maxConcurrentWorkflowTaskExecutions'
> &
  Pick<WorkerOptions, 'maxConcurrentWorkflowTaskPolls' | 'maxCachedWorkflows'>;

/** A cached workflow takes about a megabyte. A workflow that has left the cache is replayed at its next step. */
const TUNING: Record<Exclude<Queue, ActivityQueue>, Tuning> = {
  // Each step is short and holds a database connection, so more steps at once would only wait for a connection. Local
  // activities need connections too. One that waits too long is repeated as an activity (src/process/party-gate.ts).
  [QUEUES.processes]: {
    maxConcurrentActivityTaskExecutions: 24,
    maxConcurrentActivityTaskPolls: 6,
    maxConcurrentWorkflowTaskExecutions: 16,
    maxConcurrentWorkflowTaskPolls: 6,
    maxCachedWorkflows: 400,
  },
  // 16 dispatchers that never end, their successors while the old ones drain, and reads of failing endpoints.
  [QUEUES.webhooks]: {
    maxConcurrentActivityTaskExecutions: 64,
    maxConcurrentActivityTaskPolls: 4,
    maxConcurrentWorkflowTaskExecutions: 16,
    maxConcurrentWorkflowTaskPolls: 4,
    maxCachedWorkflows: 150,
  },
};

/** Activities of one party, its watcher included. */
const PARTY_TUNING: Tuning = { maxConcurrentActivityTaskExecutions: 16, maxConcurrentActivityTaskPolls: 2 };
/** Many probes may run at once, because a probe mostly waits, up to 15 s for a receiver that hangs. */
const PROBES_TUNING: Tuning = { maxConcurrentActivityTaskExecutions: 200, maxConcurrentActivityTaskPolls: 2 };

const isOfActivities = (queue: Queue): queue is ActivityQueue =>
  (ACTIVITY_QUEUES as readonly Queue[]).includes(queue);

function tuningOf(queue: Queue): Tuning {
  if (queue === PROBES_QUEUE) return PROBES_TUNING;
  return isOfActivities(queue) ? PARTY_TUNING : TUNING[queue];
}

const RETRY_MS = [500, 10_000] as const;

export interface WorkersOptions {
  temporal: TemporalOptions;
  /** The queues that this process serves. Default: all. */
  queues?: readonly Queue[];
  keyring: Keyring;
  /** Every activity by name, from `createActivities`. */
  activities: object;
  log: Logger;
  /** DATA_DIR. Its `cache` keeps a bundle that was made at start. */
  dataDir: string;
  /** How long a stopping process waits for activities under way, in seconds. Then it abandons them. */
  shutdownSeconds: number;
  /** Port of the loopback for the SDK's own metrics. Default: none. */
  metricsPort?: number;
  /** A bundle that was built elsewhere. Default: the bundle of these sources, made now if it is missing. */
  bundlePath?: string;
  /**
   * Called when a worker ends unexpectedly. If it resolves to true, Temporal is away and the log line becomes debug.
   */
  onAway?: Presence['missed'];
}

export interface Workers {
  /** Resolves when all workers have stopped. Never rejects. */
  run: Promise<void>;
  /** Whether each of its queues has a running worker. */
  isRunning(): boolean;
  /** URL of the SDK's own metrics. Undefined where there are none. */
  metricsUrl: string | undefined;
  /** Stops polling and resolves when the tasks under way have ended. */
  shutdown(): Promise<void>;
}

/**
 * Runs a worker for each of the queues until `shutdown`. Temporal may be away at the start or at any time: a worker that
 * cannot start or has failed is created again.
 *
 * Temporal gives tasks to any worker of a queue. With its worker versioning only workers of the current version of a deployment get
 * tasks, so nobody works until somebody has set the version, and after a way back nobody works again (docs/temporal.md, Versions). The
 * build id is therefore for people only. A released workflow is changed behind `patched('what-changed')` (`patches.ts`), and tests replay
 * the histories of earlier releases.
 */
export function startWorkers(options: WorkersOptions): Workers {
  const { log, temporal, queues = ALL_QUEUES, dataDir, bundlePath, onAway, metricsPort } = options;
  const hasMetrics = installRuntime(log, onAway, metricsPort);
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal); // one listener a queue
  const working = new Map<Queue, Worker>();
  const bundle = once(async () =>
    bundlePath ? { codePath: bundlePath } : workflowBundle(temporal.encrypt, join(dataDir, 'cache')),
  );

  async function keepWorking(queue: Queue): Promise<void> {
    for (let failures = 0; !stopping.signal.aborted; failures += 1) {
      const began = Date.now();
      await workOn(queue, options, bundle, stopping.signal, working).catch(async (error: Error) => {
        // Only the first failure in a row is a warning. The others would repeat it every ten seconds.
        const told = failures > 0 || (await onAway?.()) ? 'debug' : 'warn';
        log[told]({ error, taskQueue: queue }, 'a worker has stopped unexpectedly; it is started again');
      });
      working.delete(queue);
      if (Date.now() - began > RETRY_MS[1]) failures = 0;
      const waitMs = Math.min(RETRY_MS[0] * 2 ** failures, RETRY_MS[1]);
      await sleep(waitMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  const run = Promise.all(queues.map(keepWorking)).then(() => undefined);
  return {
    run,
    metricsUrl: hasMetrics ? `http://127.0.0.1:${metricsPort}/metrics` : undefined,
    isRunning: () => queues.every((queue) => working.get(queue)?.getState() === 'RUNNING'),
    shutdown: () => {
      stopping.abort();
      for (const worker of working.values()) stopWorker(worker);
      return run;
    },
  };
}

async function workOn(
  queue: Queue,
  options: WorkersOptions,
  bundle: () => Promise<WorkflowBundleOption>,
  stopping: AbortSignal,
  working: Map<Queue, Worker>,
): Promise<void> {
  const { temporal, keyring } = options;
  const workflows = isOfActivities(queue) ? undefined : await bundle();
  const connection = await NativeConnection.connect(reachOf(temporal));
  try {
    const worker = await Worker.create({
      connection,
      namespace: temporal.namespace,
      taskQueue: queue,
      ...(workflows === undefined ? {} : { workflowBundle: workflows }),
      activities: options.activities,
      dataConverter: createDataConverter(keyring, temporal),
      interceptors: { activity: isTracing() ? [tracedActivities, activityErrors] : [activityErrors] },
      ...(isTracing() ? { sinks: traceSinks } : {}),
      patchActivationCallback: ({ patchId }) => isAwake(patchId),
      identity: `${process.pid}@${hostname()} ${buildId()}`,
      workerDeploymentOptions: {
        useWorkerVersioning: false,
        version: { deploymentName: 'cardwright', buildId: buildId() },
      },
      // Activities are cancelled at once. Dispatchers would run on for minutes, so they finish their attempts and end.
      // The others are short and ignore the cancellation.
      shutdownGraceTime: 0,
      shutdownForceTime: options.shutdownSeconds * 1000,
      ...tuningOf(queue),
    });
    const run = worker.run();
    working.set(queue, worker);
    options.log.debug({ taskQueue: queue }, 'a worker has started');
    if (stopping.aborted) stopWorker(worker);
    await run;
  } finally {
    await connection.close().catch(() => undefined); // a failed worker may still use the connection
  }
}

function stopWorker(worker: Worker): void {
  if (worker.getState() === 'RUNNING') worker.shutdown();
}

/** Remembers the first success. After a failure the next call tries again. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
