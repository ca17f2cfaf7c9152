import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { NativeConnection, Worker, type WorkerOptions, type WorkflowBundleOption } from '@temporalio/worker';
import type { Logger } from 'pino';
import { ACTIVITY_QUEUES, PROBES_QUEUE, QUEUES } from '../src/kernel/outbox/queues';
import type { Keyring } from '../src/kernel/security/keyring';
import { createDataConverter } from '../src/kernel/temporal/codec';
import type { TemporalOptions } from '../src/kernel/temporal/connection';
import type { Presence } from '../src/kernel/temporal/presence';
import { activityErrors } from './activity-errors';
import { workflowBundle } from './bundle';
import { installRuntime } from './logger';

type ActivityQueue = (typeof ACTIVITY_QUEUES)[number];
type Queue = (typeof QUEUES)[keyof typeof QUEUES] | ActivityQueue;
type Tuning = Pick<
  WorkerOptions,
  | 'maxConcurrentActivityTaskExecutions'
  | 'maxConcurrentActivityTaskPolls'
  | 'maxConcurrentWorkflowTaskExecutions'
> &
  Pick<WorkerOptions, 'maxConcurrentWorkflowTaskPolls' | 'maxCachedWorkflows'>;

/** A cached workflow takes about a megabyte; one that is not cached is replayed at its next step. */
const TUNING: Record<Exclude<Queue, ActivityQueue>, Tuning> = {
  // Short steps that each hold a database connection: more at once would only wait for one. So would the first tries that are
  // made within a workflow's task, and one that waits for too long is made again as an activity (src/process/party-gate.ts).
  [QUEUES.processes]: {
    maxConcurrentActivityTaskExecutions: 24,
    maxConcurrentActivityTaskPolls: 6,
    maxConcurrentWorkflowTaskExecutions: 16,
    maxConcurrentWorkflowTaskPolls: 6,
    maxCachedWorkflows: 400,
  },
  // 16 dispatchers that never end, some that make room for others, and reads of endpoints that fail.
  [QUEUES.webhooks]: {
    maxConcurrentActivityTaskExecutions: 64,
    maxConcurrentActivityTaskPolls: 4,
    maxConcurrentWorkflowTaskExecutions: 16,
    maxConcurrentWorkflowTaskPolls: 4,
    maxCachedWorkflows: 150,
  },
};

/** What waits for one party, its watcher among them. */
const PARTY_TUNING: Tuning = { maxConcurrentActivityTaskExecutions: 16, maxConcurrentActivityTaskPolls: 2 };
/** A probe waits up to 15 s for a receiver that hangs and holds little else, so many may run at once. */
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
  keyring: Keyring;
  /** Every activity by name, from `createActivities`. */
  activities: object;
  log: Logger;
  /** DATA_DIR: keeps a bundle that is made at start. */
  dataDir: string;
  /** How long activities under way may go on when the process stops; they are then left behind. */
  shutdownSeconds: number;
  /** A bundle that was built elsewhere; else the one for these sources, made now where it is missing. */
  bundlePath?: string;
  /** Told of each worker that has ended: where Temporal is away, nothing more is to be told of it. */
  onAway?: Presence['missed'];
}

export interface Workers {
  /** Resolves when all have stopped; never rejects. */
  run: Promise<void>;
  /** Whether every queue is being worked on now. */
  isRunning(): boolean;
  /** Takes no more tasks, lets those under way end, and resolves when they have. */
  shutdown(): Promise<void>;
}

/**
 * Works on every queue until `shutdown`. Temporal may be away at the start or at any time: a worker that cannot begin,
 * or fails for good, is made anew.
 *
 * Versions: workers are not versioned. All of them run one code, a deployment replaces it, and workflows that began
 * before go on with the new one; so a workflow that has landed is changed behind `patched('what-changed')`, and the
 * replay tests hold the histories of earlier releases against it. Processes here are few, short of steps and mostly
 * end within minutes; the dispatchers, which never end, continue as new and so take up a change by themselves.
 * Pinned worker deployments would need the old code to run beside the new until the last process has ended.
 */
export function startWorkers(options: WorkersOptions): Workers {
  const { log, temporal, dataDir, bundlePath, onAway } = options;
  installRuntime(log, onAway);
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal); // one a queue
  const working = new Map<Queue, Worker>();
  const bundle = once(async () =>
    bundlePath ? { codePath: bundlePath } : workflowBundle(temporal.encrypt, join(dataDir, 'cache')),
  );

  async function keepWorking(queue: Queue): Promise<void> {
    for (let failures = 0; !stopping.signal.aborted; failures += 1) {
      const began = Date.now();
      await workOn(queue, options, bundle, stopping.signal, working).catch(async (error: Error) => {
        // The first of a row is told: the same again each ten seconds would be.
        const told = failures > 0 || (await onAway?.()) ? 'debug' : 'warn';
        log[told]({ error, taskQueue: queue }, 'a worker has ended; it is made anew');
      });
      working.delete(queue);
      if (Date.now() - began > RETRY_MS[1]) failures = 0;
      const waitMs = Math.min(RETRY_MS[0] * 2 ** failures, RETRY_MS[1]);
      await sleep(waitMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  const queues: Queue[] = [...Object.values(QUEUES), ...ACTIVITY_QUEUES];
  const run = Promise.all(queues.map(keepWorking)).then(() => undefined);
  return {
    run,
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
  const { address, namespace, encrypt } = options.temporal;
  const workflows = isOfActivities(queue) ? undefined : await bundle();
  const connection = await NativeConnection.connect({ address });
  try {
    const worker = await Worker.create({
      connection,
      namespace,
      taskQueue: queue,
      ...(workflows === undefined ? {} : { workflowBundle: workflows }),
      activities: options.activities,
      dataConverter: createDataConverter(options.keyring, encrypt),
      interceptors: { activity: [activityErrors] },
      // Told at once: those that would go on for minutes, the dispatchers, end what they have in hand. The others are short
      // and do not ask.
      shutdownGraceTime: 0,
      shutdownForceTime: options.shutdownSeconds * 1000,
      ...tuningOf(queue),
    });
    const run = worker.run();
    working.set(queue, worker);
    options.log.debug({ taskQueue: queue }, 'a worker has begun');
    if (stopping.aborted) stopWorker(worker);
    await run;
  } finally {
    await connection.close().catch(() => undefined); // a worker that failed may still hold it
  }
}

function stopWorker(worker: Worker): void {
  if (worker.getState() === 'RUNNING') worker.shutdown();
}

/** What has succeeded is not done again; what has failed is. */
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
