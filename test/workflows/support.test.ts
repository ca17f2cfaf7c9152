/** @long */
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { LOOK } from '../../src/kernel/temporal/signals';
import { type TimeSkipping, timeSkipping } from '../support/temporal';

let temporal: TimeSkipping;
let records: string[];

beforeAll(async () => {
  temporal = await timeSkipping({ workflowsPath: join(__dirname, 'support-workflows.ts') });
}, 1_200_000);
afterAll(() => temporal.close());

const activities = { read: async () => records.shift() ?? 'final' };
const start = (workflow: string, workflowId: string): Promise<WorkflowHandle> =>
  temporal.client.workflow.start(workflow, { workflowId, taskQueue: 'processes' });

it('reads its record again after a day without a signal', async () => {
  records = ['pending', 'pending'];
  const seen = await temporal.withWorkers(activities, async () =>
    (await start('followsRecord', 'patient')).result(),
  );
  expect(seen).toEqual(['pending', 'a day has passed', 'pending', 'a day has passed', 'final']);
});

it('reads its record again after a signal that came with its start', async () => {
  records = ['pending'];
  const seen = await temporal.withWorkers(activities, async (client) => {
    const handle = await client.workflow.signalWithStart('followsRecord', {
      workflowId: 'told',
      taskQueue: 'processes',
      signal: LOOK,
    });
    return handle.result() as Promise<string[]>;
  });
  expect(seen).toEqual(['pending', 'final']);
});

it('shows the status of its record', async () => {
  records = [];
  const status = await temporal.withWorkers(activities, async () => {
    const handle = await start('followsRecord', 'shown');
    await handle.result();
    return (await handle.describe()).searchAttributes['RecordStatus'];
  });
  expect(status).toEqual(['final']);
});

it('takes many signals as one reason to look', async () => {
  const result = await temporal.withWorkers(activities, async () => {
    const handle = await start('coalescesLooks', 'told-often');
    for (let time = 0; time < 5; time += 1) await handle.signal(LOOK);
    return handle.result();
  });
  expect(result).toEqual({ rounds: 1, waiting: true });
});
