/** @long @isolated starts workers, and a real Temporal of its own. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildId } from '../../src/kernel/build';
import { bundle } from '../../workers/bundle';
import { isAwake, isLater, PATCHES } from '../../workers/patches';
import { startWorkers, type Workers } from '../../workers/worker';
import { quiet, type RealTemporal, realTemporal } from '../support/temporal';
import { until } from '../support/until';
import { workflowSources } from '../workflows/recordings/workflow-sources';

/** Workers of two releases on one Temporal: either may lead any run, and nobody has to set a current version. */

const QUEUE = 'processes';

let folder: string;
let temporal: RealTemporal;
const bundles: Record<string, string> = {};
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cardwright-versions-'));
  for (const release of ['released', 'next']) {
    const path = join(folder, `${release}.js`);
    await writeFile(path, await bundle(false, join(__dirname, 'versions', `${release}.ts`)));
    bundles[release] = path;
  }
  temporal = await realTemporal();
}, 1_200_000);
afterAll(async () => {
  await temporal.close();
  await rm(folder, { recursive: true, force: true });
});

const noted: string[] = [];

const start = (release: 'released' | 'next'): Workers =>
  startWorkers({
    temporal: temporal.options,
    keyring: temporal.keyring,
    activities: { note: async (step: string) => void noted.push(step) },
    log: quiet,
    dataDir: folder,
    shutdownSeconds: 20,
    bundlePath: bundles[release] ?? '',
  });

/** Begins a run on the next release, and goes back to the release before its end. */
async function goneBack(workflow: string) {
  noted.length = 0;
  const next = start('next');
  const run = await temporal.client.workflow.start(workflow, { workflowId: workflow, taskQueue: QUEUE });
  await until(() => noted.includes('first'));
  await run.signal('look');
  await until(() => noted.includes('second'));
  await next.shutdown();
  const released = start('released');
  await run.signal('look');
  return { run, released };
}

type Run = Awaited<ReturnType<typeof goneBack>>['run'];

const failuresOf = async (run: Run): Promise<string[]> =>
  ((await run.fetchHistory()).events ?? []).flatMap(({ workflowTaskFailedEventAttributes: failed }) =>
    failed ? [failed.failure?.message ?? ''] : [],
  );

it('gives work to a worker as soon as it polls, without a version that somebody sets', async () => {
  const workers = start('released');
  const run = await temporal.client.workflow.start('patchAsleep', { workflowId: 'told', taskQueue: QUEUE });
  await run.signal('look');
  await run.signal('look');
  expect(await run.result()).toBe('ended');
  const { events } = await run.fetchHistory();
  const [completed] = (events ?? []).flatMap((event) => event.workflowTaskCompletedEventAttributes ?? []);
  expect(completed).toMatchObject({
    identity: expect.stringContaining(buildId()),
    workerVersion: { buildId: buildId() },
    workerDeploymentName: 'cardwright',
  });
  await workers.shutdown();
});

it('goes back to the release before in the middle of a run, because a new patch sleeps', async () => {
  const { run, released } = await goneBack('patchAsleep');
  expect(await run.result()).toBe('ended');
  expect(noted).toEqual(['first', 'second', 'third']);
  expect(await failuresOf(run)).toEqual([]);
  await released.shutdown();
});

it('stands still after a way back behind a patch that is awake, until the newer release is there again', async () => {
  const { run, released } = await goneBack('patchAwake');
  await until(async () => (await failuresOf(run)).length > 0);
  expect(await failuresOf(run)).toEqual([expect.stringContaining('Nondeterminism')]);
  await released.shutdown();
  await run.terminate();
  expect(noted).toEqual(['first', 'more', 'second']);
});

it.each([
  ['1.1.0', '1.0.0', true],
  ['1.0.1', '1.0.0', true],
  ['2.0.0', '1.9.9', true],
  ['1.10.0', '1.9.0', true],
  ['1.0.0', '1.0.0', false],
  ['1.0.0-rc.1', '1.0.0', false],
  ['1.0.0', '1.1.0', false],
])('%s is later than %s: %s', (left, right, expected) => {
  expect(isLater(left, right)).toBe(expected);
});

it('lets a patch sleep in the release that brings it, and before it is entered', () => {
  expect(isAwake('forget-old-events', '1.0.0-rc.1')).toBe(true);
  expect(isAwake('forget-old-events', '0.9.0')).toBe(false);
  expect(isAwake('not entered', '1.0.0')).toBe(false);
});

it('knows the release of every patch of the workflows', () => {
  const used = [...workflowSources().values()].flatMap((text) =>
    [...text.matchAll(/\bpatched\('([^']+)'\)/g)].map(([, name]) => name),
  );
  expect([...new Set(used)].sort()).toEqual(Object.keys(PATCHES).sort());
});
