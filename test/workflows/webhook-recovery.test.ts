/** @long */
import { createWebhookActivities } from '../../activities/webhooks';
import { recoveryCommand } from '../../src/tenants/webhooks/recovery-command';
import { type Client, type TestApi, testApi } from '../support/api';
import { type Behaviour, type Receiver, startReceiver } from '../support/outside/receiver';
import { type TimeSkipping, timeSkipping } from '../support/temporal';
import { until } from '../support/until';
import {
  aboutToFail,
  append,
  dispatching,
  endpointOf,
  eventsOf,
  register,
} from '../tenants/webhooks/support';

let api: TestApi;
let receiver: Receiver;
let temporal: TimeSkipping;
/** Skipped time in milliseconds. The product's clock follows Temporal's. */
let ahead = 0;
beforeAll(async () => {
  const now = () => new Date(Date.now() + ahead);
  [api, receiver, temporal] = await Promise.all([testApi({ now }), startReceiver(), timeSkipping()]);
});
afterAll(async () => {
  await temporal.close();
  await receiver.close();
  await api.close();
});

let paths = 0;
/** Fails with a Retry-After of an hour. */
const inAnHour: Behaviour = (_request, response) => {
  response.writeHead(503, { 'retry-after': '3600' }).end();
};

/** Creates a tenant whose endpoint is failing, with waiting events. */
async function failing(behaviour: Behaviour, count: number) {
  ahead = (await temporal.env.currentTimeMs()) - Date.now();
  const client = await api.client();
  paths += 1;
  const path = `/recovery-${paths}`;
  receiver.answer(path, behaviour);
  await register(client, receiver.url + path, 'card');
  const ids = await append(api, client, { count });
  await aboutToFail(api, client);
  const dispatcher = dispatching(api, { ca: receiver.ca });
  await until(async () => (await endpointOf(api, client))?.status !== 'active');
  await dispatcher.stop();
  return { client, path, ids };
}

/** Probes by the schedule, as in live. */
const activities = () =>
  createWebhookActivities(api.services, { ca: receiver.ca, maxProbeMs: Number.POSITIVE_INFINITY });
const command = (client: Client) => recoveryCommand({ tenantId: client.clientId, registration: 'card' });

/** Starts the workflow with a signal, as the relay does. */
function begin(client: Client) {
  const { workflow, workflowId, taskQueue, args } = command(client);
  return temporal.client.workflow.signalWithStart(workflow, { workflowId, taskQueue, args, signal: 'look' });
}

/** The waits between probes by the history, in seconds. */
async function waits(client: Client): Promise<number[]> {
  const history = await temporal.client.workflow.getHandle(command(client).workflowId).fetchHistory();
  const seconds = (history.events ?? []).flatMap(({ timerStartedEventAttributes: timer }) => {
    const { seconds: whole, nanos } = timer?.startToFireTimeout ?? {};
    return timer ? [Number(whole ?? 0) + Number(nanos ?? 0) / 1e9] : [];
  });
  return seconds.filter((wait) => wait > 0.01);
}

/** Seconds, without the first wait, because part of it is over when the workflow starts. */
const scheduled = [30, 120, 600, 1_800, 7_200, 21_600, 43_200];

/** The received deliveries, as indexes into the recorded events. */
const tried = (path: string, ids: string[]) =>
  receiver.at(path).map((one) => ids.indexOf(String(one.body.data['id'])));

it('probes on the schedule, with another delivery after two failures of one', async () => {
  const { client, path, ids } = await failing(500, 3);
  await temporal.withWorkers(activities(), async () => {
    const recovery = await begin(client);
    receiver.answer(path, (_request, response) => {
      response.writeHead(receiver.at(path).length < 9 ? 500 : 204).end();
    });
    await recovery.result();
  });
  // The lane tried the first delivery. The next probe takes a delivery with the fewest failures; the last two are about
  // equal.
  const order = tried(path, ids);
  expect(order.slice(0, 7)).toEqual([0, 1, 1, 2, 2, 0, 0]);
  const last = order[8] as number;
  expect([last, order[7]]).toEqual([last === 1 ? 1 : 2, last]);
  const events = await eventsOf(api, client);
  expect(events[0]).toMatchObject({ delivery: 'due', attempts: 3, last_error: 'http_500' });
  expect(events[last]).toMatchObject({ delivery: 'delivered', attempts: 4 });
  expect(events[3 - last]).toMatchObject({ delivery: 'due', attempts: 2, last_error: 'http_500' });
  expect(await endpointOf(api, client)).toMatchObject({
    status: 'active',
    probes: 0,
    next_probe_at: null,
    recent_failures: 0,
    failing_since: null,
  });
  const firsts = receiver.at(path).filter((one) => one.body.data['id'] === ids[0]);
  expect(new Set(firsts.map((one) => one.raw.toString('hex'))).size).toBe(1);
  const waited = (await waits(client)).slice(-7);
  for (const [index, seconds] of scheduled.entries()) {
    expect(waited[index]).toBeGreaterThan(seconds * 0.8);
    expect(waited[index]).toBeLessThanOrEqual(seconds * 1.1);
  }
});

it('disables an endpoint that accepted nothing for seven days, and parks its events', async () => {
  const { client, path, ids } = await failing(500, 30);
  await temporal.withWorkers(activities(), async () => (await begin(client)).result());
  const days = (await waits(client)).reduce((sum, seconds) => sum + seconds, 0) / 86_400;
  expect(days).toBeGreaterThan(6.9);
  expect(days).toBeLessThan(7.7);
  expect(await endpointOf(api, client)).toMatchObject({
    status: 'disabled',
    next_probe_at: null,
    last_error: 'nothing_taken_for_7_days',
  });
  expect(new Set((await eventsOf(api, client)).map(({ delivery }) => delivery))).toEqual(new Set(['parked']));
  expect((await client.call('GET', '/v1/webhooks')).body.data).toMatchObject([{ status: 'disabled' }]);
  expect(Math.max(...tried(path, ids))).toBeGreaterThan(8);
  await register(client, receiver.url + path, 'card');
  expect(await endpointOf(api, client)).toMatchObject({ status: 'active', failing_since: null });
  await temporal.withWorkers(activities(), async () => (await begin(client)).result());
  expect(new Set((await eventsOf(api, client)).map(({ delivery }) => delivery))).toEqual(new Set(['due']));
});

it('makes no probe before its time, whatever signals come', async () => {
  const { client, path } = await failing(inAnHour, 1);
  await temporal.withWorkers(activities(), async () => {
    const recovery = await begin(client);
    for (let looks = 1; looks <= 3; looks += 1) {
      await until(async () => (await waits(client)).length === looks);
      await recovery.signal('look');
    }
    await until(async () => (await waits(client)).length === 4);
    expect(receiver.at(path)).toHaveLength(1);
    await client.call('DELETE', '/v1/webhooks?type=card');
    await recovery.signal('look');
    await recovery.result();
  });
  expect(receiver.at(path)).toHaveLength(1);
});

it('probes on a queue of its own, so that hanging receivers slow no other work', async () => {
  const { client } = await failing(500, 1);
  await temporal.withWorkers(activities(), async () => (await begin(client)).result());
  const history = await temporal.client.workflow.getHandle(command(client).workflowId).fetchHistory();
  const queues = (history.events ?? []).flatMap(({ activityTaskScheduledEventAttributes: asked }) =>
    asked ? [[asked.activityType?.name, asked.taskQueue?.name]] : [],
  );
  expect(queues).toContainEqual(['probeWebhookEndpoint', 'webhook-probes']);
  expect(queues).toContainEqual(['readWebhookRecovery', 'webhooks']);
  expect(queues).not.toContainEqual(['probeWebhookEndpoint', 'webhooks']);
});

it('delivers the backlog in time order after a successful probe', async () => {
  const { client, path, ids } = await failing(503, 60);
  await append(api, client, { at: new Date(Date.now() + 1_000) });
  await temporal.withWorkers(activities(), async () => {
    const recovery = await begin(client);
    receiver.answer(path, 204);
    await recovery.result();
  });
  const dispatcher = dispatching(api, { ca: receiver.ca });
  await until(async () => (await eventsOf(api, client)).every((row) => row.delivery === 'delivered'));
  await dispatcher.stop();
  const came = receiver.at(path).map((one) => one.body.data['id'] as string);
  // The first event has failed in its lane and waits for its own time. The second one was the probe.
  expect(came.slice(0, 2)).toEqual([ids[0], ids[1]]);
  const order = came.slice(1).filter((id) => id !== ids[0]);
  const places = order.map((id) => (ids.includes(id) ? ids.indexOf(id) : 60) - 1);
  expect(new Set(places).size).toBe(60);
  // Several attempts run at once, so one event may overtake some others. Without an order it would be 20 places.
  const overtaken = places.reduce((sum, index, place) => sum + Math.abs(index - place), 0);
  expect(overtaken / places.length).toBeLessThan(2);
});

it('honours Retry-After', async () => {
  const { client, path } = await failing(500, 1);
  await temporal.withWorkers(activities(), async () => {
    receiver.answer(path, (_request, response) => {
      const first = receiver.at(path).length === 2;
      response.writeHead(first ? 429 : 204, first ? { 'retry-after': '3600' } : {}).end();
    });
    await (await begin(client)).result();
  });
  const second = (await waits(client)).at(-1);
  expect(second).toBeGreaterThan(3_590);
  expect(second).toBeLessThanOrEqual(3_600);
});

it('probes at once after a resend', async () => {
  const { client, path } = await failing(inAnHour, 1);
  await temporal.withWorkers(activities(), async () => {
    const recovery = await begin(client);
    // The workflow waits for its first probe. Its clock stands, because nothing waits for its result yet.
    await until(async () => (await waits(client)).length === 1);
    expect(receiver.at(path)).toHaveLength(1);
    receiver.answer(path, 204);
    await client.call('POST', '/v1/webhooks/resend?fromDate=2020-01-01T00:00:00Z');
    expect(api.commands.at(-1)).toMatchObject({ action: 'look', workflowId: recovery.workflowId });
    await recovery.signal('look');
    await until(async () => (await endpointOf(api, client))?.status === 'active');
    expect(receiver.at(path)).toHaveLength(2);
    await recovery.result();
  });
});

it('ends when the URL is replaced, and delivers to the new one', async () => {
  const { client, path } = await failing(inAnHour, 2);
  await temporal.withWorkers(activities(), async () => {
    const recovery = await begin(client);
    await until(async () => (await waits(client)).length === 1);
    await register(client, `${receiver.url}/replaced`, 'card');
    await recovery.signal('look');
    await recovery.result();
  });
  expect(receiver.at(path)).toHaveLength(1);
  expect(await endpointOf(api, client)).toMatchObject({ status: 'active' });
  const dispatcher = dispatching(api, { ca: receiver.ca });
  await until(async () => (await eventsOf(api, client)).every((row) => row.delivery === 'delivered'));
  await dispatcher.stop();
  expect(receiver.at('/replaced')).toHaveLength(2);
});

it('ends when the endpoint is deleted, or answers 410', async () => {
  const [deleted, gone] = [await failing(inAnHour, 1), await failing(500, 2)];
  await temporal.withWorkers(activities(), async () => {
    const first = await begin(deleted.client);
    await until(async () => (await waits(deleted.client)).length === 1);
    await deleted.client.call('DELETE', '/v1/webhooks?type=card');
    await first.signal('look');
    await first.result();
    receiver.answer(gone.path, 410);
    await (await begin(gone.client)).result();
  });
  expect(receiver.at(deleted.path)).toHaveLength(1);
  expect(await eventsOf(api, deleted.client)).toMatchObject([{ delivery: 'parked' }]);
  expect(await endpointOf(api, gone.client)).toMatchObject({ status: 'disabled' });
  expect((await eventsOf(api, gone.client)).map((row) => row.delivery)).toEqual(['parked', 'parked']);
});

it('ends when no event waits any more', async () => {
  const { client } = await failing(500, 1);
  await temporal.withWorkers(activities(), async () => {
    await (await begin(client)).result();
  });
  expect(await eventsOf(api, client)).toMatchObject([{ delivery: 'failed', attempts: 9 }]);
  expect(await endpointOf(api, client)).toMatchObject({ status: 'active', recent_failures: 0 });
});

it('has only ids, numbers and codes in its history', async () => {
  const { client, path } = await failing(500, 1);
  await temporal.withWorkers(activities(), async () => {
    receiver.answer(path, 204);
    await (await begin(client)).result();
  });
  const history = await temporal.client.workflow.getHandle(command(client).workflowId).fetchHistory();
  const json = JSON.stringify(history);
  const payloads = [...json.matchAll(/"data":"([^"]*)"/g)].map(([, data]) =>
    Buffer.from(data ?? '', 'base64').toString('utf8'),
  );
  const text = json + payloads.join();
  expect(text).toContain(client.clientId);
  for (const secret of ['Zürich', client.clientSecret, receiver.url, path])
    expect(text).not.toContain(secret);
});
