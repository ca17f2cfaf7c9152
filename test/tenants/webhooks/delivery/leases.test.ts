/** @long */
import { SHARDS } from '../../../../src/kernel/outbox/events';
import { createLeases } from '../../../../src/tenants/webhooks/delivery/leases';
import { claimDue, recordDispatched, releaseClaims } from '../../../../src/tenants/webhooks/delivery/store';
import { type TestApi } from '../../../support/api';
import { type Receiver } from '../../../support/outside/receiver';
import { until } from '../../../support/until';
import { ageLeases, append, eventsOf, newDispatcher, shardsOf } from '../support';
import { type DispatcherWorld, dispatcherWorld } from './world';

let world: DispatcherWorld;
let api: TestApi;
let receiver: Receiver;
let ending: { stop(): Promise<void> }[] = [];
beforeAll(async () => {
  world = await dispatcherWorld();
  ({ api, receiver } = world);
});
afterEach(async () => {
  await Promise.all(ending.map((one) => one.stop()));
  ending = [];
  await world.stop();
});
afterAll(() => world.close());

const all = Array.from({ length: SHARDS }, (_, shard) => shard);

/** A process that stands in as soon as a lease is old. */
function standingIn() {
  const dispatcher = newDispatcher(api, { ca: receiver.ca, standInAfterMs: 0 });
  const running = dispatcher.standIn();
  ending.push(running);
  return { dispatcher, running };
}

/** The workflows' activities for every shard in one process. */
function workflowsIn(dispatcher = newDispatcher(api, { ca: receiver.ca })) {
  const taken = all.map((shard) => dispatcher.take(shard));
  const stop = async () => {
    for (const one of taken) one.release();
    await Promise.all(taken.map((one) => one.drained()));
  };
  ending.push({ stop });
  return { stop };
}

const holders = async () => new Set((await shardsOf(api)).map(({ holder }) => holder));
const areHeld = async (standsIn: boolean) =>
  (await shardsOf(api)).every((row) => row.holder !== null && row.stands_in === standsIn);

it('gives one process each shard, with a number that grows with every taker', async () => {
  const before = await shardsOf(api);
  const first = workflowsIn();
  await until(() => areHeld(false));
  expect((await holders()).size).toBe(1);
  const [holder] = await holders();
  const second = workflowsIn();
  await new Promise((resolve) => setTimeout(resolve, 1_500)); // the second has asked twice
  expect(await holders()).toEqual(new Set([holder]));
  await first.stop();
  await until(() => areHeld(false));
  expect((await holders()).has(holder!)).toBe(false);
  const after = await shardsOf(api);
  expect(after.map(({ fence }) => fence)).toEqual(before.map(({ fence }) => fence + 2));
  await second.stop();
  expect(await holders()).toEqual(new Set([null]));
});

it('is taken over when its lease is 15 s old, and given back to the workflow that asks', async () => {
  const { client, path } = await world.tenant();
  await append(api, client, { count: 3 });
  standingIn();
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(await holders()).toEqual(new Set([null])); // given back a moment ago, so workflows may still come
  await ageLeases(api);
  await until(() => areHeld(true));
  await until(world.all(client, 'delivered'));
  const [instead] = await holders();
  workflowsIn(); // Temporal is back, and gives the shards to another process
  await until(() => areHeld(false));
  expect((await holders()).has(instead!)).toBe(false);
  await append(api, client, { count: 3 });
  await until(world.all(client, 'delivered'));
  expect(receiver.at(path)).toHaveLength(6);
});

it('stays with the process when the workflow runs there', async () => {
  await ageLeases(api);
  const { dispatcher } = standingIn();
  await until(() => areHeld(true));
  const before = await shardsOf(api);
  workflowsIn(dispatcher);
  await until(() => areHeld(false));
  const after = await shardsOf(api);
  expect(after.map(({ fence, holder }) => [fence, holder])).toEqual(
    before.map(({ fence, holder }) => [fence, holder]),
  );
});

it('waits for its attempts under way before it is given back', async () => {
  const { client, path } = await world.tenant();
  let answer: () => void = () => undefined;
  receiver.answer(path, async (_request, response) => {
    await new Promise<void>((resolve) => {
      answer = resolve;
    });
    response.writeHead(204).end();
  });
  await append(api, client);
  const first = workflowsIn();
  await receiver.until(() => receiver.at(path).length === 1);
  const [holder] = await holders();
  workflowsIn();
  const stopped = first.stop();
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect((await shardsOf(api)).filter((row) => row.holder === holder)).toHaveLength(1);
  answer();
  await stopped;
  await until(world.all(client, 'delivered'));
  expect(receiver.at(path)).toHaveLength(1);
});

it('claims, gives back and records nothing under an old number', async () => {
  const { client } = await world.tenant();
  await append(api, client, { count: 2 });
  const [{ shard } = { shard: -1 }] = await api.database.query<{ shard: number }>(
    `select webhook_shard($1, 'card') as shard`,
    [client.clientId],
  );
  const wants = [{ shard, tenantId: client.clientId, registration: 'card' as const, room: 1 }];
  const numberNow = async () => (await shardsOf(api))[shard]?.fence ?? -1;
  const present = [{ shard, fence: await numberNow() }];
  const old = [{ shard, fence: present[0]!.fence - 1 }];
  expect(await claimDue(api.database, wants, { leases: old, leaseMs: 30_000 })).toEqual([]);
  const [event] = await claimDue(api.database, wants, { leases: present, leaseMs: 30_000 });
  const number = event?.number ?? '';
  const made = { at: new Date().toISOString(), url: event?.urlId ?? 0, durationMs: 1 };
  await releaseClaims(api.database, [number], old);
  await recordDispatched(api.database, [{ number, made }], old);
  const states = async () =>
    (await eventsOf(api, client)).map(({ delivery, leased_until: until }) => [delivery, until !== null]);
  expect(await states()).toEqual([
    ['due', true],
    ['due', false],
  ]);
  await recordDispatched(api.database, [{ number, made }], present);
  expect(await states()).toEqual([
    ['delivered', false],
    ['due', false],
  ]);
  await client.call('DELETE', '/v1/webhooks');
});

it('sends and records nothing after another process has taken its shards', async () => {
  const { client, path } = await world.tenant();
  const answers: (() => void)[] = [];
  receiver.answer(path, async (_request, response) => {
    await new Promise<void>((resolve) => answers.push(resolve));
    response.writeHead(500).end();
  });
  await append(api, client);
  workflowsIn();
  await receiver.until(() => answers.length === 1);
  // Another process takes every shard while the first waits for its answer.
  await api.database.query(
    `update webhook_shards set fence = fence + 1, holder = 'another', renewed_at = clock_timestamp()`,
  );
  const appended = await append(api, client, { count: 20 });
  answers[0]?.();
  await new Promise((resolve) => setTimeout(resolve, 4_000)); // the first looks at its leases every three seconds
  expect(answers).toHaveLength(1);
  const rows = await eventsOf(api, client);
  expect(rows).toHaveLength(appended.length + 1);
  expect(rows.map(({ attempts, last_error: error }) => [attempts, error])).toEqual(rows.map(() => [0, null]));
  expect(rows[0]?.leased_until).not.toBeNull(); // the other process sends it again after the claim
  receiver.answer(path, 204);
  await ageLeases(api);
  await api.database.query('update events set leased_until = null where tenant_id = $1', [client.clientId]);
  await until(world.all(client, 'delivered'));
});

it('ends in its process before others may take it', async () => {
  let clock = 0;
  let wanted = [3];
  const leases = createLeases({
    database: api.database,
    log: api.services.log,
    clock: () => clock,
    wanted: () => wanted,
    onLook: () => undefined,
  });
  await ageLeases(api);
  leases.ask();
  await until(() => leases.held().includes(3));
  clock = 13_999;
  expect(leases.fence(3)).toBeGreaterThan(0);
  clock = 14_001; // the process was stopped meanwhile
  expect(leases.fence(3)).toBeUndefined();
  wanted = [];
  await leases.give([3]);
});
