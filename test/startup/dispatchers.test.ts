/** @long @isolated stops and kills processes. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createDatabase, type Database } from '../../src/kernel/db/database';
import { newId } from '../../src/kernel/ids';
import { appendEvents, SHARDS } from '../../src/kernel/outbox/events';
import { type Receiver, startReceiver } from '../support/outside/receiver';
import { type Credential, type Fleet, type Kept, startFleet } from '../support/product';
import { until } from '../support/until';
import { killAll, START_MS } from './process';

/** Two processes that deliver webhooks, beside an API and a worker that delivers none. */

const WHILE_MS = 240_000;
/** A shard is taken over after 15 s. Processes look every three seconds. */
const TAKEN_OVER_SECONDS = 22;

let fleet: Fleet;
let database: Database;
let receiver: Receiver;
let tenants: Credential[];
let dispatchers: Kept[];
const paths = ['/one', '/two', '/failing'];
const working = () => tenants.slice(0, 2);

beforeAll(async () => {
  fleet = await startFleet({ WORKER_WEBHOOKS: 'off' });
  receiver = await startReceiver({ http: true });
  database = createDatabase({ url: fleet.databaseUrl, poolSize: 4, name: 'test' });
  tenants = [await fleet.newTenant(), await fleet.newTenant(), await fleet.newTenant()];
  for (const [index, { clientId, clientSecret }] of tenants.entries()) {
    const answer = await fetch(`${fleet.baseUrl}/v1/webhooks`, {
      method: 'POST',
      headers: {
        'x-client-id': clientId,
        'x-client-secret': clientSecret,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ url: `${receiver.url}${paths[index]}`, type: 'card' }),
    });
    expect(answer.status).toBe(201);
  }
  dispatchers = [await fleet.another('dispatcher'), await fleet.another('dispatcher')];
}, 2 * START_MS);

afterAll(async () => {
  await receiver?.close();
  await database?.close();
  await fleet?.close();
  killAll();
});

/** Records events of a tenant. @returns their ids */
async function recordFor(tenantId: string, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId('event'));
  const at = new Date();
  await database.transaction((tx) =>
    appendEvents(
      tx,
      ids.map((id) => ({ tenantId, registration: 'card', event: 'card_transaction', data: { id }, at })),
    ),
  );
  return ids;
}

/** Records events of the two tenants whose endpoints work. */
async function record(count: number): Promise<string[]> {
  const made = await Promise.all(working().map(({ clientId }) => recordFor(clientId, count)));
  return made.flat();
}

const idOf = ({ body }: { body: { data: Record<string, unknown> } }) => body.data['id'] as string;
const timesOf = (id: string) => receiver.received.filter((one) => idOf(one) === id).length;
const haveCome = (ids: readonly string[]) => {
  const seen = new Set(receiver.received.map(idOf));
  return ids.every((id) => seen.has(id));
};
const secondsFor = async (ids: readonly string[]) => {
  const began = performance.now();
  await until(() => haveCome(ids));
  return (performance.now() - began) / 1_000;
};
const shards = () =>
  database.query<{ holder: string | null; stands_in: boolean; fence: number }>(
    'select holder, stands_in, fence from webhook_shards order by shard',
  );
/** The process id of a holder, which is `host pid random`. */
const heldBy = async (pid: number | undefined) =>
  (await shards()).filter(({ holder }) => holder?.split(' ')[1] === String(pid)).length;
const isAllDelivered = async () => {
  const [row] = await database.query<{ left: string }>(
    `select count(*) as left from events where registration = 'card' and delivery <> 'delivered'`,
  );
  return row?.left === '0';
};
const areDeliveredByWorkflows = async () =>
  (await shards()).every(({ holder, stands_in: standsIn }) => holder !== null && !standsIn);

it(
  'deliver without Temporal, and each shard has one dispatcher after its return',
  async () => {
    await until(areDeliveredByWorkflows);
    expect(await secondsFor(await record(5))).toBeLessThan(5);
    await fleet.temporal.stop();
    expect(await secondsFor(await record(20))).toBeLessThan(TAKEN_OVER_SECONDS);
    // Processes that have never met Temporal deliver too.
    await Promise.all(dispatchers.map((one) => one.kill9()));
    expect(await secondsFor(await record(20))).toBeLessThan(TAKEN_OVER_SECONDS);
    expect(await secondsFor(await record(5))).toBeLessThan(2);
    expect((await shards()).every(({ stands_in: standsIn }) => standsIn)).toBe(true);
    // Recoveries are workflows: a failing endpoint gets no probe, and its events use up no attempt.
    receiver.answer('/failing', 500);
    await recordFor(tenants[2]?.clientId ?? '', 6);
    const isFailing = async () =>
      (await database.query(`select from webhook_endpoints where status = 'failing'`)).length === 1;
    await until(isFailing);
    const tried = receiver.at('/failing').length;
    await sleep(7_000); // longer than the first retry and the first probe wait
    expect(receiver.at('/failing')).toHaveLength(tried);
    receiver.answer('/failing', 204);
    await fleet.temporal.start();
    await until(async () => !(await isFailing()));
    await until(isAllDelivered);
    await until(areDeliveredByWorkflows);
    const settled = await shards();
    await sleep(6_000);
    // A repeated activity ends after 15 s, and the next one takes the shard anew. Nobody else takes it.
    const takers = (await shards()).map(({ fence }, shard) => fence - (settled[shard]?.fence ?? 0));
    expect(takers).toHaveLength(SHARDS);
    expect(Math.max(...takers)).toBeLessThanOrEqual(1);
    await until(areDeliveredByWorkflows);
    const last = await record(20);
    await until(() => haveCome(last));
    expect(last.map(timesOf)).toEqual(last.map(() => 1));
  },
  WHILE_MS,
);

it(
  'stop sending for the shards that another has taken, and a stopped process sends none of them when it continues',
  async () => {
    await until(areDeliveredByWorkflows);
    const open = new Map<string, number>();
    const atOnce: string[] = [];
    for (const path of ['/one', '/two'])
      receiver.answer(path, async (one, response) => {
        const id = idOf(one);
        if ((open.get(id) ?? 0) > 0) atOnce.push(id);
        open.set(id, (open.get(id) ?? 0) + 1);
        await sleep(20);
        response.writeHead(204).end();
        open.set(id, (open.get(id) ?? 0) - 1);
      });
    const [victim] = (
      await Promise.all(dispatchers.map(async (one) => ({ one, shards: await heldBy(one.pid()) })))
    ).sort((a, b) => b.shards - a.shards);
    const pid = victim?.one.pid() ?? 0;
    const before = await record(500);
    await until(() => receiver.received.some((one) => before.includes(idOf(one))));
    process.kill(pid, 'SIGSTOP');
    try {
      const during = await record(100);
      await until(async () => (await heldBy(pid)) === 0); // longer than the lease
      // A claim of the stopped process holds its events for 30 s.
      expect(await secondsFor([...before, ...during])).toBeLessThan(45);
      process.kill(pid, 'SIGCONT');
      const after = await record(200);
      expect(await secondsFor(after)).toBeLessThan(10);
      await sleep(5_000);
      expect([...during, ...after].filter((id) => timesOf(id) !== 1)).toEqual([]);
      expect(atOnce).toEqual([]);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
  },
  WHILE_MS,
);

it(
  'deliver everything after one of them was killed',
  async () => {
    const before = await record(500);
    await until(() => receiver.received.some((one) => before.includes(idOf(one))));
    const [victim] = dispatchers;
    const killed = victim?.kill9();
    const during = await record(100);
    expect(await secondsFor([...before, ...during])).toBeLessThan(60);
    await killed;
    await until(isAllDelivered);
  },
  WHILE_MS,
);
