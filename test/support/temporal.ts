import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import pino from 'pino';
import { ACTIVITY_QUEUES, QUEUES } from '../../src/kernel/outbox/queues';
import { createKeyring, type Keyring } from '../../src/kernel/security/keyring';
import { createTemporalClient, type TemporalClient } from '../../src/kernel/temporal/connection';
import { DECLARED_SEARCH_ATTRIBUTES } from '../../src/kernel/temporal/search-attributes';
import type { EmbeddedTemporal } from '../../src/startup/embedded/temporal/server';
import { activityErrors } from '../../workers/activity-errors';
import { bundle, workflowBundle } from '../../workers/bundle';
import { installRuntime } from '../../workers/logger';
import { timed } from './run/timed';
import { startTestTemporal, timeSkippingServer } from './servers';

export const quiet = pino({ level: process.env['LOG_LEVEL'] ?? 'silent' });

/** In the numbers of temporal.api.enums.v1.IndexedValueType. */
const KEYWORDS = Object.fromEntries(Object.keys(DECLARED_SEARCH_ATTRIBUTES).map((name) => [name, 2]));

/** Made once for all test files of these sources, and kept from one run to the next. */
export function testBundle(encrypt = false) {
  return workflowBundle(encrypt, join(tmpdir(), 'cardwright-bundles'));
}

export interface TimeSkipping {
  env: TestWorkflowEnvironment;
  client: Client;
  /**
   * Runs workers on every queue, with all workflows and the given activities, as long as `work` takes. Time is skipped
   * while `work` waits for a workflow's result, or in `env.sleep`.
   */
  withWorkers<T>(activities: object, work: (client: Client) => Promise<T>): Promise<T>;
  /** The same until `close`, for all tests of a file. */
  keepWorkers(activities: object): Promise<void>;
  close(): Promise<void>;
}

/**
 * Temporal's test server, where days pass in milliseconds. It has one clock: one at a time in a test file.
 * @param given.workflowsPath a file of workflows for this test alone; the product's when absent
 */
export async function timeSkipping(given: { workflowsPath?: string } = {}): Promise<TimeSkipping> {
  installRuntime(quiet);
  const { workflowsPath } = given;
  const [server, workflows] = await Promise.all([
    timeSkippingServer(),
    workflowsPath === undefined ? testBundle() : bundle(false, workflowsPath).then((code) => ({ code })),
  ]);
  const env = await startedInTime(() => TestWorkflowEnvironment.createTimeSkipping({ server }));
  // It cannot list what it has, which registerSearchAttributes asks first.
  await env.connection.operatorService.addSearchAttributes({ searchAttributes: KEYWORDS });
  let stopKept: () => Promise<void> = async () => undefined;
  const timeSkipper: TimeSkipping = {
    env,
    client: env.client,
    async withWorkers(activities, work) {
      const workers = await Promise.all(
        [...Object.values(QUEUES), ...ACTIVITY_QUEUES].map((taskQueue) =>
          Worker.create({
            connection: env.nativeConnection,
            taskQueue,
            activities,
            interceptors: { activity: [activityErrors] },
            ...((Object.values(QUEUES) as string[]).includes(taskQueue)
              ? { workflowBundle: workflows, maxCachedWorkflows: 100 }
              : {}),
          }),
        ),
      );
      const [first, ...others] = workers.map(
        (worker) => (inner: () => Promise<unknown>) => worker.runUntil(inner),
      );
      let result: unknown;
      const all = others.reduce<() => Promise<unknown>>(
        (inner, run) => () => run(inner),
        async () => {
          result = await work(env.client);
        },
      );
      await first?.(all);
      return result as Awaited<ReturnType<typeof work>>;
    },
    keepWorkers: (activities) =>
      new Promise((begun, failed) => {
        const ended = timeSkipper.withWorkers(
          activities,
          () =>
            new Promise<void>((stop) => {
              stopKept = () => {
                stop();
                return ended;
              };
              begun();
            }),
        );
        ended.catch(failed);
      }),
    async close() {
      await stopKept();
      await env.teardown();
    },
  };
  return timeSkipper;
}

/**
 * The activities, each attempt told of before and after it.
 * @param watch.begins given the step's name and when the server scheduled the attempt; numbers it
 */
export function watchedSteps<Activities extends object>(
  activities: Activities,
  watch: { begins(name: string, at: Date): number | Promise<number>; ended(attempt: number): void },
): Activities {
  const watched = Object.entries(activities).map(([name, step]) => [
    name,
    async (...given: unknown[]) => {
      const at = new Date(Context.current().info.currentAttemptScheduledTimestampMs);
      const attempt = await watch.begins(name, at);
      const result: unknown = await step(...given);
      watch.ended(attempt);
      return result;
    },
  ]);
  return Object.fromEntries(watched);
}

export interface RealTemporal extends TemporalClient {
  server: EmbeddedTemporal & { dataDir: string };
  keyring: Keyring;
  /** For `startWorkers` and further clients. */
  options: { address: string; namespace: string; encrypt: boolean };
}

/** A real Temporal server on a store of its own, with a client as the product makes it. */
export async function realTemporal({ encrypt = false } = {}): Promise<RealTemporal> {
  const server = await startTestTemporal({ searchAttributes: DECLARED_SEARCH_ATTRIBUTES });
  const keyring = createKeyring(randomBytes(32));
  const options = { address: server.address, namespace: 'default', encrypt };
  const temporal = createTemporalClient(options, keyring);
  return {
    ...temporal,
    server,
    keyring,
    options,
    async close() {
      await temporal.close();
      await server.stop();
    },
  };
}

/** The SDK gives a server five seconds to start; where the machine is busy with other tests that is not enough. */
export async function startedInTime<T>(start: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await timed('servers', start);
    } catch (error) {
      if (attempt === 12 || !/did not start within/.test((error as Error).message)) throw error;
    }
  }
}
