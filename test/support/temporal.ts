import assert from 'node:assert';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import pino from 'pino';
import { ACTIVITY_QUEUES, QUEUES } from '../../src/kernel/outbox/queues';
import type { Keyring } from '../../src/kernel/security/keyring';
import { createTemporalClient, type TemporalClient } from '../../src/kernel/temporal/connection';
import { DECLARED_SEARCH_ATTRIBUTES } from '../../src/kernel/temporal/search-attributes';
import type { EmbeddedTemporal } from '../../src/startup/embedded/temporal/server';
import { activityErrors } from '../../workers/activity-errors';
import { bundle, workflowBundle } from '../../workers/bundle';
import { installRuntime } from '../../workers/logger';
import { testKeyring } from './keyring';
import { timed } from './run/timed';
import { startTestTemporal, timeSkippingServer } from './servers';

export const quiet = pino({ level: process.env['LOG_LEVEL'] ?? 'silent' });

/** Search attributes as numbers of temporal.api.enums.v1.IndexedValueType. */
const KEYWORDS = Object.fromEntries(Object.keys(DECLARED_SEARCH_ATTRIBUTES).map((name) => [name, 2]));

/** Builds the workflow bundle once for all test files of the same sources, and keeps it for later runs. */
export function testBundle(encrypt = false) {
  return workflowBundle(encrypt, join(tmpdir(), 'cardwright-bundles'));
}

export interface TimeSkipping {
  env: TestWorkflowEnvironment;
  client: Client;
  /**
   * Gives activities to the workers, which serve all queues and workflows, until `work` ends. Time is skipped while
   * `work` waits for a workflow's result, or in `env.sleep`.
   */
  withWorkers<T>(activities: object, work: (client: Client) => Promise<T>): Promise<T>;
  /** Gives activities until `close`, for all tests of a file. */
  keepWorkers(activities: object): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts Temporal's test server, in which days pass in milliseconds. It has one clock, so a test file uses one test at
 * a time.
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
  // Adds them directly, because the test server cannot list search attributes, which registerSearchAttributes does
  // first.
  await env.connection.operatorService.addSearchAttributes({ searchAttributes: KEYWORDS });
  const steps = currentSteps();
  const workers = await Promise.all(
    [...Object.values(QUEUES), ...ACTIVITY_QUEUES].map((taskQueue) =>
      Worker.create({
        connection: env.nativeConnection,
        taskQueue,
        activities: { default: steps.run },
        interceptors: { activity: [activityErrors] },
        ...((Object.values(QUEUES) as string[]).includes(taskQueue)
          ? { workflowBundle: workflows, maxCachedWorkflows: 100 }
          : {}),
      }),
    ),
  );
  const running = Promise.all(workers.map((worker) => worker.run()));
  return {
    env,
    client: env.client,
    async withWorkers(activities, work) {
      steps.give(activities);
      try {
        return await Promise.race([work(env.client), running.then(() => assert.fail('the workers ended'))]);
      } finally {
        await steps.take();
      }
    },
    async keepWorkers(activities) {
      steps.give(activities);
    },
    async close() {
      steps.end();
      for (const worker of workers) worker.shutdown();
      await running;
      await env.teardown();
    },
  };
}

/**
 * The current activities of the workers. Workers live as long as their file, because each start takes a second of
 * processor, while each test has its own activities. An attempt between two tests waits for the next activities.
 */
function currentSteps() {
  const underWay = new Set<Promise<unknown>>();
  let given = deferred<Record<string, (...args: unknown[]) => unknown>>();
  async function call(args: unknown[]): Promise<unknown> {
    const name = Context.current().info.activityType;
    const step = (await given.promise)[name];
    if (!step) throw ApplicationFailure.nonRetryable(`the test gives no activity ${name}`);
    return step(...args);
  }
  return {
    async run(...args: unknown[]): Promise<unknown> {
      const attempt = call(args);
      underWay.add(attempt);
      return attempt.finally(() => underWay.delete(attempt));
    },
    give(activities: object) {
      given.resolve(activities as Record<string, (...args: unknown[]) => unknown>);
    },
    /** Waits for started attempts. */
    async take() {
      given = deferred();
      await Promise.allSettled(underWay);
    },
    end() {
      given.resolve({});
    },
  };
}

function deferred<T>(): { promise: Promise<T>; resolve(value: T): void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/**
 * Wraps activities with a call before and after each attempt.
 * @param watch.begins gets the step's name and the time at which the server scheduled the attempt; returns the
 * attempt's number
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

/**
 * Starts a real Temporal server with its own store, and a client like the product's.
 * @param given.keyring key of encrypted payloads; random when absent
 * @param given.dynamicConfig settings of the server, values as JSON
 */
export async function realTemporal({
  encrypt = false,
  keyring = testKeyring(),
  dynamicConfig = {},
}: {
  encrypt?: boolean;
  keyring?: Keyring;
  dynamicConfig?: Record<string, string>;
} = {}): Promise<RealTemporal> {
  const server = await startTestTemporal({ searchAttributes: DECLARED_SEARCH_ATTRIBUTES, dynamicConfig });
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

/**
 * Attempts of a start. The SDK allows five seconds for each, which is too short on a busy machine, so a start may take
 * three minutes.
 */
const START_ATTEMPTS = 36;

export async function startedInTime<T>(start: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await timed('servers', start);
    } catch (error) {
      if (attempt === START_ATTEMPTS || !/did not start within/.test((error as Error).message)) throw error;
    }
  }
}
