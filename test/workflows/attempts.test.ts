/** @long */
import { sliceOf } from '../../activities/slice';
import { createTransferActivities } from '../../activities/transfers';
import { createWebhookActivities } from '../../activities/webhooks';
import type { WorkflowCommand } from '../../src/kernel/outbox/commands';
import type { WatchedParty } from '../../src/kernel/outbox/queues';
import { neverEnding } from '../../src/kernel/temporal/reconciler';
import { type TestApi, testApi } from '../support/api';
import { type TimeSkipping, timeSkipping } from '../support/temporal';
import { until } from '../support/until';

/** Watchers and dispatchers never end. In Temporal's UI a healthy one must not read as one that fails and is retried. */

const SLICE_MS = 700;
const ROUNDS = 4;

let api: TestApi;
let temporal: TimeSkipping;
beforeAll(async () => {
  [api, temporal] = await Promise.all([testApi(), timeSkipping()]);
}, 1_200_000);
afterAll(async () => {
  await temporal.close();
  await api.close();
});

const one = (workflow: string): WorkflowCommand => {
  const found = neverEnding(['checkout']).find((each) => each.workflow === workflow);
  if (!found) throw new Error(`there is no ${workflow}`);
  return found;
};
const activities = () => ({
  ...createTransferActivities(api.services, { sliceMs: SLICE_MS }),
  ...createWebhookActivities(api.services, { sliceMs: SLICE_MS }),
});

it.each([
  ['partyWatcher', () => one('partyWatcher')],
  ['webhookDispatcher', () => one('webhookDispatcher')],
])('the %s stays at its first attempt over several rounds', async (_, commandOf) => {
  const { workflow, workflowId, taskQueue, args } = commandOf();
  await temporal.withWorkers(activities(), async (client) => {
    const handle = await client.workflow.start(workflow, { workflowId, taskQueue, args });
    const attempts = new Set<number>();
    const rounds = async () =>
      ((await handle.fetchHistory()).events ?? []).filter(
        (event) => event.activityTaskCompletedEventAttributes,
      ).length;
    await until(async () => {
      const { raw } = await handle.describe();
      for (const { attempt } of raw.pendingActivities ?? []) attempts.add(Number(attempt));
      return (await rounds()) >= ROUNDS;
    });
    expect([...attempts]).toEqual([1]);
    const events = (await handle.fetchHistory()).events ?? [];
    const begun = events.flatMap(({ activityTaskStartedEventAttributes: each }) => (each ? [each] : []));
    expect(begun.map(({ attempt, lastFailure }) => [attempt, lastFailure ?? null])).toEqual(
      begun.map(() => [1, null]),
    );
    await handle.terminate();
  });
});

it('a watcher that has failed once is at its first attempt again in the next round', async () => {
  const { watchParty, ...others } = activities();
  let calls = 0;
  const failing = async (party: WatchedParty) => {
    calls += 1;
    if (calls === 1) throw new Error('its worker died');
    return watchParty(party);
  };
  const { workflow, taskQueue, args } = one('partyWatcher');
  await temporal.withWorkers({ ...others, watchParty: failing }, async (client) => {
    const handle = await client.workflow.start(workflow, { workflowId: 'failed-once', taskQueue, args });
    const attempts = async () =>
      ((await handle.fetchHistory()).events ?? []).flatMap(({ activityTaskStartedEventAttributes: each }) =>
        each ? [each.attempt] : [],
      );
    await until(async () => (await attempts()).length >= 2);
    expect((await attempts()).slice(0, 2)).toEqual([2, 1]);
    await handle.terminate();
  });
});

it('an attempt that repeats a failed one ends soon', () => {
  const startToCloseTimeoutMs = 12 * 60_000;
  expect(sliceOf({ attempt: 1, startToCloseTimeoutMs })).toBe(600_000);
  expect(sliceOf({ attempt: 2, startToCloseTimeoutMs })).toBe(15_000);
  expect(sliceOf({ attempt: 3, startToCloseTimeoutMs }, 1_000)).toBe(1_000);
});
