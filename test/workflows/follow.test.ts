/** @long */
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { LOOK, SEARCH_ATTRIBUTES } from '../../src/kernel/temporal/signals';
import type { Progress } from '../../src/transfers/engine/advance';
import { type TimeSkipping, timeSkipping } from '../support/temporal';

/** The loop of every transfer on the real SDK: the length of its history, and the times of its steps. */

let temporal: TimeSkipping;
/** The times of the steps, in milliseconds of the server's clock. */
let steps: number[];
let answers: ((at: number) => Progress)[];

beforeAll(async () => {
  temporal = await timeSkipping({ workflowsPath: join(__dirname, 'support-workflows.ts') });
  const advance = async () => {
    const at = await temporal.env.currentTimeMs();
    steps.push(at);
    return (answers.shift() ?? (() => ended))(at);
  };
  await temporal.keepWorkers({ advance });
}, 1_200_000);
beforeEach(() => {
  steps = [];
});
afterAll(() => temporal.close());

const ended: Progress = { status: 'completed', open: false, lookAt: null };
const waits = (status: string, lookAt: number | null = null): Progress => ({ status, open: true, lookAt });
const MINUTE_MS = 60_000;
const TIMER_STARTED = 17;

let runs = 0;
const begin = (): Promise<WorkflowHandle> => {
  runs += 1;
  const workflowId = `transfer-${runs}`;
  return temporal.client.workflow.start('followsTransfer', {
    workflowId,
    taskQueue: 'processes',
    args: [workflowId],
  });
};

const kindsOf = async (handle: WorkflowHandle) =>
  ((await handle.fetchHistory()).events ?? []).map(({ eventType }) => Number(eventType));
const timersOf = async (handle: WorkflowHandle) =>
  (await kindsOf(handle)).filter((kind) => kind === TIMER_STARTED).length;

async function taken(count: number): Promise<void> {
  for (let turn = 0; steps.length < count; turn += 1) {
    if (turn > 1_000) throw new Error(`there were ${steps.length} steps`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

it('makes the next step at the time that a step has named, and not before', async () => {
  answers = [(at) => waits('created', at + 30 * MINUTE_MS)];
  const handle = await begin();
  expect(await handle.result()).toBe('completed');
  const [first = 0, second = 0, ...more] = steps;
  expect(more).toEqual([]);
  expect(second - first).toBeGreaterThanOrEqual(30 * MINUTE_MS);
  expect(second - first).toBeLessThan(31 * MINUTE_MS);
});

it('keeps one timer for one time, whatever signals come', async () => {
  let deadline = 0;
  const same = (at: number) => {
    deadline ||= at + 30 * MINUTE_MS;
    return waits('created', deadline);
  };
  answers = [same, same, same];
  const handle = await begin();
  for (const count of [1, 2]) {
    await taken(count);
    await handle.signal(LOOK);
  }
  await taken(3);
  expect(await handle.result()).toBe('completed');
  expect(await timersOf(handle)).toBe(1);
});

it('replaces the timer when a step names another time', async () => {
  answers = [
    (at) => waits('created', at + 30 * MINUTE_MS),
    (at) => waits('created', at + 60 * MINUTE_MS),
    () => waits('processing'),
  ];
  const handle = await begin();
  await taken(1);
  await handle.signal(LOOK);
  await taken(2);
  await temporal.env.sleep('2 hours');
  expect(steps).toHaveLength(3); // at the second time only
  await handle.signal(LOOK);
  expect(await handle.result()).toBe('completed');
});

it('ignores a timer when the next step names no time', async () => {
  answers = [(at) => waits('created', at + 30 * MINUTE_MS), () => waits('processing')];
  const handle = await begin();
  await taken(1);
  await handle.signal(LOOK);
  await taken(2);
  await temporal.env.sleep('1 day');
  expect(steps).toHaveLength(2);
  await handle.signal(LOOK);
  expect(await handle.result()).toBe('completed');
});

it('repeats a step whose clock is behind after a second, without a busy loop', async () => {
  let deadline = 0;
  const behind = (at: number) => {
    deadline ||= at + MINUTE_MS;
    return waits('created', deadline);
  };
  answers = [behind, behind, behind];
  const handle = await begin();
  expect(await handle.result()).toBe('completed');
  const pauses = steps.slice(1).map((at, index) => at - (steps[index] ?? 0));
  expect(pauses).toHaveLength(3);
  for (const pause of pauses.slice(1)) expect(pause).toBeGreaterThanOrEqual(1_000);
});

it('shows the final status to the operator', async () => {
  answers = [() => waits('processing')];
  const handle = await begin();
  await taken(1);
  await handle.signal(LOOK);
  await handle.result();
  const { searchAttributes } = await handle.describe();
  expect(searchAttributes[SEARCH_ATTRIBUTES.recordStatus]).toEqual(['completed']);
});
