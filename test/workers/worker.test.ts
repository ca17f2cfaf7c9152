/** @long */
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Context } from '@temporalio/activity';
import { type Client, WorkflowFailedError } from '@temporalio/client';
import { conflict } from '../../src/kernel/errors';
import { createTemporalClient } from '../../src/kernel/temporal/connection';
import { bundle, workflowBundle } from '../../workers/bundle';
import { startWorkers, type Workers } from '../../workers/worker';
import { ownPort } from '../support/own-port';
import { startTestTemporal } from '../support/servers';
import { inTheClear, quiet, type RealTemporal, realTemporal } from '../support/temporal';
import { until } from '../support/until';

const SECRET = 'a-secret-that-nobody-may-read';

let folder: string;
let bundlePath: string;
let temporal: RealTemporal;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cardwright-workers-'));
  bundlePath = join(folder, 'workflows.js');
  const workflows = join(__dirname, '../workflows/support-workflows.ts');
  await writeFile(bundlePath, await bundle(true, workflows));
  temporal = await realTemporal({ encrypt: true });
}, 1_200_000);
afterAll(async () => {
  await temporal.close();
  await rm(folder, { recursive: true, force: true });
});

const started: Workers[] = [];
/** A worker of a failed test would take the tasks of the next. */
afterEach(async () => {
  await Promise.all(started.splice(0).map((workers) => workers.shutdown()));
});

function start(activities: object, options = temporal.options, shutdownSeconds = 20): Workers {
  const { keyring } = temporal;
  const workers = startWorkers({
    temporal: options,
    keyring,
    activities,
    log: quiet,
    dataDir: folder,
    shutdownSeconds,
    bundlePath,
  });
  started.push(workers);
  return workers;
}

const run = (client: Client, workflow: string, workflowId: string) =>
  client.workflow.execute(workflow, { workflowId, taskQueue: 'processes', args: [SECRET] });

async function failureOf(work: Promise<unknown>): Promise<Error[]> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof WorkflowFailedError)) throw new Error('it has not failed');
  const chain: Error[] = [];
  for (let at: unknown = error.cause; at instanceof Error; at = at.cause) chain.push(at);
  return chain;
}

it('encrypts arguments, results and failure messages in the history', async () => {
  const workers = start({
    echo: async (text: string) => `${text}, echoed`,
    refuse: async (text: string) => {
      throw conflict('card_closed', `The card of ${text} is closed.`);
    },
  });
  const { client } = temporal;
  expect(await run(client, 'echoes', 'echoes')).toBe(`${SECRET}, echoed`);
  const [, refusal] = await failureOf(run(client, 'isRefused', 'is-refused'));
  expect(refusal).toMatchObject({ type: 'card_closed', message: 'card_closed', nonRetryable: true });
  const [own] = await failureOf(run(client, 'throwsItself', 'throws-itself'));
  expect(own?.message).toBe(SECRET);
  await workers.shutdown();

  for (const id of ['echoes', 'is-refused', 'throws-itself']) {
    const history = await client.workflow.getHandle(id).fetchHistory();
    expect(inTheClear(history)).not.toContain(SECRET);
    expect(inTheClear(history)).toContain('binary/encrypted');
  }
  for (const name of await readdir(temporal.server.dataDir)) {
    const content = await readFile(join(temporal.server.dataDir, name));
    expect({ name, found: content.includes(SECRET) }).toEqual({ name, found: false });
  }
});

it('lets a running activity end before it stops, and polls no more tasks', async () => {
  let begun = () => undefined as void;
  let mayEnd = () => undefined as void;
  const hasBegun = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const end = new Promise<void>((resolve) => {
    mayEnd = resolve;
  });
  const workers = start({
    async echo(text: string) {
      begun();
      await end;
      return text;
    },
  });
  const handle = await temporal.client.workflow.start('echoes', {
    workflowId: 'interrupted',
    taskQueue: 'processes',
    args: [SECRET],
  });
  await hasBegun;
  await until(() => workers.isRunning()); // workers of other queues may start later
  const stopped = workers.shutdown();
  expect(workers.isRunning()).toBe(false);
  mayEnd();
  await stopped;
  await workers.run;

  const again = start({ echo: () => Promise.reject(new Error('it was done already')) });
  expect(await handle.result()).toBe(SECRET);
  await again.shutdown();
});

it('cancels a running activity at once when the process stops', async () => {
  let begun = () => undefined as void;
  const hasBegun = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const endless = async (text: string) => {
    begun();
    const { cancellationSignal } = Context.current();
    if (!cancellationSignal.aborted)
      await new Promise((resolve) => cancellationSignal.addEventListener('abort', resolve));
    return text;
  };
  const workers = start({ echo: endless }, temporal.options, 3_600);
  const handle = await temporal.client.workflow.start('echoes', {
    workflowId: 'endless',
    taskQueue: 'processes',
    args: [SECRET],
  });
  await hasBegun;
  await workers.shutdown();

  const again = start({ echo: () => Promise.reject(new Error('it was done already')) });
  expect(await handle.result()).toBe(SECRET);
  await again.shutdown();
});

it('abandons an activity that does not end in time', async () => {
  let attempts = 0;
  const workers = start({ echo: () => new Promise(() => (attempts += 1)) }, temporal.options, 1);
  const handle = await temporal.client.workflow.start('echoes', {
    workflowId: 'hanging',
    taskQueue: 'processes',
    args: [SECRET],
  });
  await until(() => attempts === 1);
  const began = performance.now();
  await workers.shutdown();
  expect(performance.now() - began).toBeLessThan(20_000);
  expect((await handle.describe()).status.name).toBe('RUNNING');
  await handle.terminate();
});

it('starts when Temporal becomes available, and can stop while Temporal is away', async () => {
  const options = { ...temporal.options, address: `127.0.0.1:${await ownPort()}` };
  const activities = { echo: async (text: string) => text };
  const patient = start(activities, options);
  await patient.shutdown();

  const workers = start(activities, options);
  const server = await startTestTemporal({ port: Number(options.address.split(':')[1]) });
  const late = createTemporalClient(options, temporal.keyring);
  expect(await run(late.client, 'echoes', 'after-a-while')).toBe(SECRET);
  await workers.shutdown();
  await late.close();
  await server.stop();
});

it('keeps a bundle for later starts, apart for encryption', async () => {
  const cacheDir = join(folder, 'cache');
  const first = await workflowBundle(false, cacheDir);
  if (!('codePath' in first)) throw new Error('it was not kept');
  const { mtimeMs } = await stat(first.codePath);
  expect(await workflowBundle(false, cacheDir)).toEqual(first);
  expect((await stat(first.codePath)).mtimeMs).toBe(mtimeMs);
  const encrypted = await workflowBundle(true, cacheDir);
  expect(encrypted).not.toEqual(first);
});

it('bundles without a cache if the folder is not writable', async () => {
  const occupied = join(folder, 'a-file');
  await writeFile(occupied, '');
  expect(await workflowBundle(false, join(occupied, 'cache'))).toHaveProperty('code');
});
