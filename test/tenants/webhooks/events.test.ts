import { newId } from '../../../src/kernel/ids';
import { createEventIds } from '../../../src/kernel/outbox/event-id';
import { appendEvents } from '../../../src/kernel/outbox/events';
import { forgetOldEvents } from '../../../src/tenants/webhooks/events/operations';
import { type Client, type TestApi } from '../../support/api';
import type { Receiver } from '../../support/outside/receiver';
import { until } from '../../support/until';
import { type DispatcherWorld, dispatcherWorld } from './delivery/world';
import { append, endpointOf, eventsOf, register, retryNow } from './support';

let world: DispatcherWorld;
let api: TestApi;
let receiver: Receiver;
beforeAll(async () => {
  world = await dispatcherWorld();
  ({ api, receiver } = world);
});
afterEach(() => world.stop());
afterAll(() => world.close());

interface Page {
  data: any[];
  hasMore: boolean;
  nextCursor: string | null;
}

const list = async (client: Client, query = ''): Promise<Page> => {
  const { status, body } = await client.call('GET', `/v1/events${query}`);
  expect(status).toBe(200);
  return body;
};
const dataIds = (page: { data: any[] }) => page.data.map(({ body }) => body.data.id as string);
const at = (minute: number) => new Date(Date.UTC(2026, 0, 31, 12, minute));
const only = async (client: Client) => (await list(client)).data[0];
const resend = (client: Client, id: string, key?: string) =>
  client.call('POST', `/v1/events/${id}/resend`, undefined, key ? { 'x-idempotency-key': key } : {});

describe('the list', () => {
  it('has every event, newest first, whatever became of its delivery', async () => {
    const { client } = await world.tenant();
    const ids: string[] = [];
    for (const [minute, delivery] of ['due', 'delivered', 'failed', 'parked', 'recorded'].entries()) {
      const [id = ''] = await append(api, client, { at: at(minute) });
      await api.database.query('update events set delivery = $2 where data_id = $1', [id, delivery]);
      ids.unshift(id);
    }
    expect(dataIds(await list(client))).toEqual(ids);
    const paged: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: Page = await list(client, `?limit=2${cursor && `&cursor=${cursor}`}`);
      paged.push(...dataIds(page));
      expect(page.hasMore).toBe(page.nextCursor !== null);
      cursor = page.nextCursor;
    }
    expect(paged).toEqual(ids);
    expect(dataIds(await list(client, `?from=${at(1).toISOString()}&to=${at(3).toISOString()}`))).toEqual(
      ids.slice(2, 4),
    );
    const deliveries = (await list(client)).data.map((event) => event.deliveries[0]?.status);
    expect(deliveries).toEqual([undefined, 'parked', 'failed', 'delivered', 'due']);
  });

  it('pages through events of one moment', async () => {
    const client = await api.client();
    const ids = await append(api, client, { count: 7, at: at(0) });
    const first = await list(client, '?limit=4');
    const rest = await list(client, `?limit=4&cursor=${first.nextCursor}`);
    expect([...dataIds(first), ...dataIds(rest)]).toEqual([...ids].reverse());
  });

  it('filters by type and by record, and shows nothing of another tenant', async () => {
    const [client, other] = await Promise.all([api.client(), api.client()]);
    const [recordId, reference] = [newId('payout'), newId('reference')];
    await api.database.transaction((tx) =>
      appendEvents(tx, [
        {
          tenantId: client.clientId,
          registration: 'payout',
          event: 'payout.status_changed',
          data: { id: newId('event'), recordId, status: 'completed' },
          at: at(1),
        },
        {
          tenantId: client.clientId,
          registration: 'account',
          event: 'account_transaction',
          data: { id: newId('accountTransaction'), type: 'withdraw', subtype: 'payout' },
          at: at(2),
          reference: { id: reference, type: 'withdraw', subtype: 'payout' },
        },
      ]),
    );
    await append(api, client, { registration: 'card', at: at(3) });
    const kinds = async (query: string) => (await list(client, query)).data.map(({ event }) => event);
    expect(await kinds('?type=payout')).toEqual(['payout.status_changed']);
    expect(await kinds(`?recordId=${recordId}`)).toEqual(['payout.status_changed']);
    expect(await kinds(`?recordId=${reference}`)).toEqual(['account_transaction']);
    expect(await kinds(`?recordId=${reference}&type=payout`)).toEqual([]);
    expect((await list(other, `?recordId=${recordId}`)).data).toEqual([]);
    expect((await list(other)).data).toEqual([]);
    expect((await list(client, `?recordId=${recordId}`)).data[0]).toMatchObject({
      type: 'payout',
      recordId,
      createdAt: at(1).toISOString(),
      deliveries: [],
    });
  });

  it.each(['?type=cards', '?cursor=nonsense', '?limit=0', '?from=yesterday'])('refuses %s', async (query) => {
    const client = await api.client();
    expect((await client.call('GET', `/v1/events${query}`)).status).toBe(400);
  });

  it('refuses the cursor of another list', async () => {
    const client = await api.client();
    const cursor = Buffer.from(JSON.stringify([newId('event')])).toString('base64url');
    expect((await client.call('GET', `/v1/events?cursor=${cursor}`)).body).toMatchObject({ field: 'cursor' });
  });
});

describe('an event', () => {
  it('shows each attempt with time, status, duration and error', async () => {
    const { client, path } = await world.tenant();
    receiver.answer(path, 500);
    await append(api, client);
    world.dispatch();
    await until(async () => (await eventsOf(api, client))[0]?.attempts === 1);
    receiver.answer(path, (_request, response) => {
      setTimeout(() => response.writeHead(204).end(), 60);
    });
    await retryNow(api, client);
    await until(world.all(client, 'delivered'));
    const { id } = await only(client);
    const { body } = await client.call('GET', `/v1/events/${id}`);
    const [delivery] = body.deliveries;
    expect(body.deliveries).toHaveLength(1);
    expect(delivery).toMatchObject({ url: receiver.url + path, status: 'delivered' });
    const [last, first] = delivery.attempts;
    expect(first).toEqual({
      at: expect.any(String),
      status: 500,
      durationMs: expect.any(Number),
      error: 'http_500',
    });
    expect(last).toEqual({ at: expect.any(String), status: 204, durationMs: expect.any(Number) });
    expect(last.durationMs).toBeGreaterThanOrEqual(50);
    expect(Date.parse(last.at)).toBeGreaterThanOrEqual(Date.parse(first.at));
    expect(Math.abs(Date.now() - Date.parse(last.at))).toBeLessThan(60_000);
  });

  it('shows an attempt without an answer, and the attempts at a former URL', async () => {
    const { client, path } = await world.tenant();
    receiver.answer(path, 'hang');
    await append(api, client);
    world.dispatch({ timeoutMs: 200 });
    await until(async () => (await eventsOf(api, client))[0]?.attempts === 1);
    await register(client, `${receiver.url}/moved`, 'card');
    await retryNow(api, client);
    await until(world.all(client, 'delivered'));
    const { deliveries } = await only(client);
    expect(deliveries).toMatchObject([
      { url: `${receiver.url}/moved`, status: 'delivered', attempts: [{ status: 204 }] },
      { url: receiver.url + path, status: 'failed', attempts: [{ error: 'timeout' }] },
    ]);
    expect(deliveries[1].attempts[0]).not.toHaveProperty('status');
  });

  it('keeps the newest 20 attempts', async () => {
    const { client } = await world.tenant();
    await append(api, client);
    const url = (await endpointOf(api, client))?.url_id;
    for (let made = 1; made <= 23; made += 1)
      await api.database.query(
        `update events set attempts_made = webhook_attempts(attempts_made, $2) where tenant_id = $1`,
        [client.clientId, JSON.stringify({ at: at(made).toISOString(), url, durationMs: made })],
      );
    const { deliveries } = await only(client);
    const attempts = deliveries.at(-1).attempts as { durationMs: number }[];
    expect(attempts.map(({ durationMs }) => durationMs)).toEqual(
      Array.from({ length: 20 }, (_, index) => 23 - index),
    );
  });

  it('is found by no other tenant, and by an admin', async () => {
    const [client, other, admin] = await Promise.all([api.client(), api.client(), api.client('admin')]);
    await append(api, client);
    const { id } = await only(client);
    expect((await client.call('GET', `/v1/events/${id}`)).status).toBe(200);
    expect((await admin.call('GET', `/v1/events/${id}`)).status).toBe(200);
    for (const wrong of [
      id,
      newId('event'),
      'evt_1',
      `${id}0`,
      id.replace(/.$/, id.endsWith('0') ? '1' : '0'),
    ]) {
      expect((await other.call('GET', `/v1/events/${wrong}`)).status).toBe(404);
      expect((await resend(other, wrong)).status).toBe(404);
    }
  });

  it('has an id that hides the number of its row, and leads back to it', () => {
    const ids = createEventIds(api.services.keyring);
    const places = [1, 2, 3, 9_007_199_254_740_993n, 72_057_594_037_927_935n].map((number, index) => ({
      number: String(number),
      createdAt: at(index),
    }));
    const made = places.map((place) => ids.derived(place));
    expect(made.map((id) => ids.find(id))).toEqual(places);
    expect([...made].sort()).toEqual(made);
    const others = createEventIds({ secretFor: () => Buffer.alloc(32) });
    expect(others.find(made[0] ?? '')).toBeUndefined();
    expect(ids.find('evt_1')).toBeUndefined();
  });
});

describe('an event that is sent again', () => {
  it('is delivered once more with the same bytes and id, once for a key', async () => {
    const { client, path } = await world.tenant();
    await append(api, client);
    world.dispatch();
    await until(world.all(client, 'delivered'));
    const { id } = await only(client);
    const answers = [await resend(client, id, 'again-1'), await resend(client, id, 'again-1')];
    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    expect(answers[0]?.text).toBe(answers[1]?.text);
    expect(answers[0]?.body).toMatchObject({
      id,
      deliveries: [{ status: 'due', attempts: [{ status: 204 }] }],
    });
    await receiver.until(() => receiver.at(path).length === 2);
    await until(world.all(client, 'delivered'));
    const [first, second] = receiver.at(path);
    expect(second?.raw).toEqual(first?.raw);
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    expect((await only(client)).deliveries[0].attempts).toHaveLength(2);
    expect(receiver.at(path)).toHaveLength(2);
  });

  it('is delivered though it was recorded before a URL was set', async () => {
    const client = await api.client();
    await append(api, client);
    const { id } = await only(client);
    const refused = await resend(client, id);
    expect([refused.status, refused.body.code]).toEqual([409, 'invalid_transition']);
    await register(client, `${receiver.url}/late`, 'card');
    expect((await resend(client, id)).status).toBe(202);
    world.dispatch();
    await receiver.until(() => receiver.at('/late').length === 1);
  });

  it('probes a failing endpoint at once, and is refused by a disabled one', async () => {
    const { client } = await world.tenant();
    await append(api, client);
    const { id } = await only(client);
    await api.database.query(
      `update webhook_endpoints set status = 'failing', next_probe_at = now() + interval '1 hour' where tenant_id = $1`,
      [client.clientId],
    );
    api.commands.splice(0);
    expect((await resend(client, id)).status).toBe(202);
    expect(api.commands).toMatchObject([{ workflowId: `webhook-recovery-${client.clientId}-card` }]);
    expect(Number((await endpointOf(api, client))?.next_probe_at)).toBeLessThan(Date.now() + 1_000);
    await api.database.query(`update webhook_endpoints set status = 'disabled' where tenant_id = $1`, [
      client.clientId,
    ]);
    expect((await resend(client, id)).status).toBe(409);
  });
});

it('forgets events after their time, in portions, and keeps the younger ones', async () => {
  const client = await api.client();
  const day = 24 * 60 * 60_000;
  await append(api, client, { count: 2_500, at: new Date(Date.now() - 91 * day) });
  const [young] = await append(api, client, { at: new Date(Date.now() - 89 * day) });
  expect(await forgetOldEvents(api.database, 90)).toBeGreaterThanOrEqual(2_500);
  expect(dataIds(await list(client))).toEqual([young]);
  expect(await forgetOldEvents(api.database, 90)).toBe(0);
});

it('keeps a URL once for all attempts, and a former one until its events are gone', async () => {
  const { client, path } = await world.tenant();
  const urlsOf = async () =>
    (
      await api.database.query<{ url: string }>(
        'select url from webhook_urls where tenant_id = $1 order by id',
        [client.clientId],
      )
    ).map(({ url }) => url);
  await append(api, client, { count: 3 });
  world.dispatch();
  await until(world.all(client, 'delivered'));
  const [former, present] = [receiver.url + path, `${receiver.url}/moved`];
  const stored = await api.database.query<{ made: string }>(
    'select attempts_made::text as made from events where tenant_id = $1',
    [client.clientId],
  );
  expect(stored).toHaveLength(3);
  expect(stored.filter(({ made }) => made.includes('http'))).toEqual([]);
  for (const url of [former, present, former, present]) await register(client, url, 'card');
  await forgetOldEvents(api.database, 90);
  expect(await urlsOf()).toEqual([former, present]);
  expect((await only(client)).deliveries).toMatchObject([{ url: former, attempts: [{ status: 204 }] }]);
  await api.database.query(
    `update webhook_urls set left_at = now() - interval '91 days' where tenant_id = $1 and (left_at is not null or url = $2)`,
    [client.clientId, present],
  );
  await forgetOldEvents(api.database, 90);
  expect(await urlsOf()).toEqual([present]);
});
