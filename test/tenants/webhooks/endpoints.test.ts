import { parkDue } from '../../../src/tenants/webhooks/delivery/moves';
import { beginRecovery } from '../../../src/tenants/webhooks/delivery/recovery';
import { listEndpoints, reconcilableEndpoints, retryFailed } from '../../../src/tenants/webhooks/operator';
import { countDeliveries, markDisabled } from '../../../src/tenants/webhooks/store';
import { type Client, type TestApi, testApi } from '../../support/api';
import { append, endpointOf, eventsOf, register } from './support';

const URL_A = 'https://127.0.0.1:9/a';
const URL_B = 'https://127.0.0.1:9/b';
const LONG_AGO = '2020-01-01T00:00:00Z';

let api: TestApi;
let client: Client;
let now = new Date('2026-03-01T12:00:00Z');
beforeAll(async () => {
  api = await testApi({ now: () => now });
});
beforeEach(async () => {
  client = await api.client();
  api.commands.splice(0);
});
afterAll(() => api.close());

const resend = (of = client, fromDate = LONG_AGO) =>
  of.call('POST', `/v1/webhooks/resend?fromDate=${encodeURIComponent(fromDate)}`);
const later = (seconds: number) => {
  now = new Date(now.getTime() + seconds * 1000);
};
const setStatus = (status: string, registration = 'card') =>
  api.database.query(
    `update webhook_endpoints set status = $3, next_probe_at = '2026-03-02T00:00:00Z', probes = 5
      where tenant_id = $1 and registration = $2`,
    [client.clientId, registration, status],
  );
const setDelivery = (delivery: string) =>
  api.database.query('update events set delivery = $2, attempts = 9 where tenant_id = $1', [
    client.clientId,
    delivery,
  ]);
const deliveries = async () => (await eventsOf(api, client)).map((row) => row.delivery);
const COUNTERS = { account: 0, card: 0, deposit: 0, cardholder: 0, kyc: 0, payout: 0, transfer: 0, total: 0 };

describe('registration', () => {
  it('without a type sets the unnamed types, and lists all webhooks', async () => {
    expect((await client.call('GET', '/v1/webhooks')).body).toEqual({
      data: [],
      hasMore: false,
      nextCursor: null,
    });
    const set = await client.call('POST', '/v1/webhooks', { url: URL_A });
    expect(set.status).toBe(201);
    expect(set.body.data.map((one: { type: string }) => one.type)).toEqual([
      'account',
      'card',
      'cardholder',
      'kyc',
    ]);
    expect(set.body.data[0]).toEqual({
      type: 'account',
      url: URL_A,
      status: 'active',
      createdAt: now.toISOString(),
    });
    const deposit = await client.call('POST', '/v1/webhooks', { url: URL_B, type: 'deposit' });
    expect(deposit.body.data).toHaveLength(5);
    const listed = await client.call('GET', '/v1/webhooks');
    expect(listed.body).toEqual({ data: deposit.body.data, hasMore: false, nextCursor: null });
    expect((await (await api.client()).call('GET', '/v1/webhooks')).body.data).toEqual([]);
  });

  it.each([
    [{}, 'url'],
    [{ url: 7 }, 'url'],
    [{ url: '' }, 'url'],
    [{ url: 'nonsense' }, 'url'],
    [{ url: `https://127.0.0.1/${'x'.repeat(2_100)}` }, 'url'],
    [{ url: 'http://8.8.8.8/' }, 'url'],
    [{ url: 'https://10.0.0.1/' }, 'url'],
    [{ url: 'https://a:b@127.0.0.1/' }, 'url'],
    [{ url: 'https://127.0.0.1/\u0000' }, 'url'],
    [{ url: 'https://127.0.0.1/\n' }, 'url'],
    [{ url: 'http://no-such-name.invalid/' }, 'url'],
    [{ url: URL_A, type: 'cards' }, 'type'],
    [{ url: URL_A, type: 7 }, 'type'],
    [{ url: URL_A, types: ['card'] }, 'types'],
  ])('refuses %j', async (body, field) => {
    const answer = await client.call('POST', '/v1/webhooks', body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: 'invalid_request', field });
    expect((await client.call('GET', '/v1/webhooks')).body.data).toEqual([]);
  });

  it('stores the URL in ASCII', async () => {
    const { status, body } = await client.call('POST', '/v1/webhooks', {
      url: 'https://127.1:9/中文?ä',
      type: 'card',
    });
    expect([status, body.data[0].url]).toEqual([201, 'https://127.0.0.1:9/%E4%B8%AD%E6%96%87?%C3%A4']);
    expect((await client.call('GET', '/v1/webhooks')).body).toEqual(body);
  });

  it('refuses this machine outside of the sandbox', async () => {
    const live = await testApi({ mode: 'live', parties: api.services.parties } as never);
    const tenant = await live.client();
    for (const url of [URL_A, 'https://localhost/', 'http://localhost/']) {
      expect((await tenant.call('POST', '/v1/webhooks', { url })).body).toMatchObject({ field: 'url' });
    }
    await live.close();
  });

  it('answers a repeated key like the first request', async () => {
    const key = { 'x-idempotency-key': 'set-1' };
    const first = await client.call('POST', '/v1/webhooks', { url: URL_A, type: 'card' }, key);
    await client.call('DELETE', '/v1/webhooks');
    const second = await client.call('POST', '/v1/webhooks', { url: URL_A, type: 'card' }, key);
    expect([second.status, second.text]).toEqual([201, first.text]);
    expect(second.headers.get('x-idempotent-replayed')).toBe('true');
    expect((await client.call('GET', '/v1/webhooks')).body.data).toEqual([]);
    const other = await client.call('POST', '/v1/webhooks', { url: URL_B, type: 'card' }, key);
    expect(other.body.code).toBe('idempotency_mismatch');
  });

  it.each(['failing', 'disabled'])(
    'replaces the URL of a %s endpoint, which becomes active',
    async (status) => {
      await register(client, URL_A, 'card');
      await setStatus(status);
      const answer = await client.call('POST', '/v1/webhooks', { url: URL_B, type: 'card' });
      expect(answer.body.data).toMatchObject([{ type: 'card', url: URL_B, status: 'active' }]);
      expect(await endpointOf(api, client)).toMatchObject({
        status: 'active',
        probes: 0,
        next_probe_at: null,
      });
      expect(api.commands.map(({ workflowId, action }) => [workflowId, action])).toEqual([
        [`webhook-recovery-${client.clientId}-card`, 'look'],
      ]);
    },
  );

  it('refuses other methods', async () => {
    expect((await client.call('PUT', '/v1/webhooks', {})).status).toBe(405);
    expect((await client.call('GET', '/v1/webhooks/resend')).status).toBe(405);
    expect((await api.call('GET', '/v1/webhooks')).status).toBe(401);
  });
});

describe('an endpoint that is set again', () => {
  const key = () => ({ tenantId: client.clientId, registration: 'card' as const });
  const disable = () =>
    api.database.transaction(async (tx) => {
      await markDisabled(tx, [{ ...key(), url: URL_A }], now);
      await parkDue(tx, [key()]);
    });

  it('gets events that were parked while it was disabled, and newer ones, in time order with the full schedule', async () => {
    await register(client, URL_A, 'card');
    const ids = await append(api, client, { at: new Date('2026-02-01T00:00:00Z') });
    await api.database.query('update events set attempts = 4 where tenant_id = $1', [client.clientId]);
    await disable();
    ids.push(...(await append(api, client, { count: 1_200, at: new Date('2026-02-02T00:00:00Z') })));
    await beginRecovery(api.database, key());
    expect(new Set(await deliveries())).toEqual(new Set(['parked']));
    await register(client, URL_A, 'card');
    expect(await beginRecovery(api.database, key())).toEqual({ failing: false, nextProbeAt: 0 });
    const events = await eventsOf(api, client);
    expect(events.map(({ data_id }) => data_id)).toEqual(ids);
    expect(new Set(events.map(({ delivery, attempts }) => `${delivery} ${attempts}`))).toEqual(
      new Set(['due 0']),
    );
    expect(events[0]?.due_at).toEqual(new Date('2026-02-01T00:00:00Z'));
    expect(events.at(-1)?.due_at).toEqual(new Date('2026-02-02T00:00:00Z'));
  });

  it('does not get events that a deletion parked, unless they are resent', async () => {
    await register(client, URL_A, 'card');
    await append(api, client);
    await client.call('DELETE', '/v1/webhooks?type=card');
    await register(client, URL_A, 'card');
    await append(api, client);
    await disable();
    await client.call('DELETE', '/v1/webhooks?type=card'); // of the disabled endpoint
    await register(client, URL_A, 'card');
    await append(api, client);
    await disable();
    await register(client, URL_A, 'card');
    await beginRecovery(api.database, key());
    expect(await deliveries()).toEqual(['parked', 'parked', 'due']);
    later(60);
    expect((await resend()).body).toEqual({ ...COUNTERS, card: 3, total: 3 });
  });
});

describe('deletion', () => {
  it('parks due events, of one type or of all', async () => {
    await register(client, URL_A);
    await append(api, client, { registration: 'card' });
    await append(api, client, { registration: 'account' });
    expect((await client.call('DELETE', '/v1/webhooks?type=card')).status).toBe(204);
    expect(await deliveries()).toEqual(['parked', 'due']);
    expect((await client.call('GET', '/v1/webhooks')).body.data).toHaveLength(3);
    expect((await client.call('DELETE', '/v1/webhooks')).status).toBe(204);
    expect(await deliveries()).toEqual(['parked', 'parked']);
    await append(api, client);
    expect(await deliveries()).toEqual(['parked', 'parked', 'recorded']);
  });

  it('ends the recovery of a failing endpoint, and may be repeated', async () => {
    await register(client, URL_A, 'card');
    await setStatus('failing');
    await client.call('DELETE', '/v1/webhooks?type=card');
    expect(api.commands).toMatchObject([
      { workflowId: `webhook-recovery-${client.clientId}-card`, action: 'look' },
    ]);
    expect((await client.call('DELETE', '/v1/webhooks?type=card')).status).toBe(204);
  });

  it.each(['', 'cards', 'card&type=account'])('refuses the type "%s"', async (type) => {
    const answer = await client.call('DELETE', `/v1/webhooks?type=${type}`);
    expect([answer.status, answer.body.field]).toEqual([400, 'type']);
  });
});

describe('resend', () => {
  it.each(['failed', 'parked', 'recorded'])('queues %s events again, in time order', async (delivery) => {
    await register(client, URL_A, 'card');
    const second = await append(api, client, { at: new Date('2026-02-02T00:00:00Z') });
    const first = await append(api, client, { at: new Date('2026-02-01T00:00:00Z') });
    await setDelivery(delivery);
    const answer = await resend();
    expect([answer.status, answer.body]).toEqual([200, { ...COUNTERS, card: 2, total: 2 }]);
    expect(await eventsOf(api, client)).toMatchObject(
      [...first, ...second].map((data_id) => ({ data_id, delivery: 'due', attempts: 0 })),
    );
  });

  it('counts waiting events, and leaves out delivered, older and unregistered ones', async () => {
    await register(client, URL_A, 'card');
    await append(api, client, { at: new Date('2026-02-01T00:00:00Z') });
    await append(api, client, { at: new Date('2026-02-03T00:00:00Z') });
    await append(api, client, { registration: 'account', at: new Date('2026-02-03T00:00:00Z') });
    await append(api, client, { at: new Date('2026-02-04T00:00:00Z') });
    await api.database.query(
      `update events set delivery = 'delivered', due_at = null where tenant_id = $1 and due_at = '2026-02-04T00:00:00Z'`,
      [client.clientId],
    );
    expect((await resend(client, '2026-02-02T00:00:00Z')).body).toEqual({ ...COUNTERS, card: 1, total: 1 });
    later(10);
    expect((await resend(client, '2026-02-01T02:00:00+02:00')).body).toEqual({
      ...COUNTERS,
      card: 2,
      total: 2,
    });
    expect((await deliveries()).sort()).toEqual(['delivered', 'due', 'due', 'recorded']);
  });

  it('stops at `toDate`', async () => {
    await register(client, URL_A, 'card');
    for (const day of ['01', '02', '03'])
      await append(api, client, { at: new Date(`2026-02-${day}T00:00:00Z`) });
    await setDelivery('failed');
    const until = async (toDate: string) => {
      later(10);
      return client.call(
        'POST',
        `/v1/webhooks/resend?fromDate=2026-02-01T12:00:00Z&toDate=${encodeURIComponent(toDate)}`,
      );
    };
    expect((await until('2026-02-01T00:00:00Z')).body).toEqual(COUNTERS);
    expect((await until('2026-02-02T00:00:00Z')).body).toEqual({ ...COUNTERS, card: 1, total: 1 });
    expect(await deliveries()).toEqual(['failed', 'due', 'failed']);
    const wrong = await until('tomorrow');
    expect([wrong.status, wrong.body.field]).toEqual([400, 'toDate']);
  });

  it('probes a failing endpoint at once', async () => {
    await register(client, URL_A, 'card');
    await setStatus('failing');
    await append(api, client);
    await resend();
    expect((await endpointOf(api, client))?.next_probe_at).toEqual(now);
    expect(api.commands).toMatchObject([{ workflow: 'webhookRecovery', action: 'look' }]);
  });

  it.each([
    '',
    '?fromDate=',
    '?fromDate=yesterday',
    '?fromDate=2026-02-30T00:00:00Z',
    '?fromDate=1767225600',
  ])('refuses "%s"', async (query) => {
    const answer = await client.call('POST', `/v1/webhooks/resend${query}`);
    expect([answer.status, answer.body.field]).toEqual([400, 'fromDate']);
    expect(
      (await client.call('POST', '/v1/webhooks/resend?fromDate=2026-01-01T00:00:00Z', { a: 1 })).status,
    ).toBe(400);
  });

  it('is admitted once in 10 s per tenant, among concurrent calls', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => resend()));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(7).fill(429)]);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.body.code).toBe('rate_limited');
    expect(refused?.headers.get('retry-after')).toBe('10');
    later(4);
    expect((await resend()).headers.get('retry-after')).toBe('6');
    expect((await resend(await api.client())).status).toBe(200);
    later(6);
    expect((await resend()).status).toBe(200);
  });
});

describe("the operator's view", () => {
  it('lists endpoints with their waiting events, and retries failed ones', async () => {
    await register(client, URL_A);
    await append(api, client, { count: 2 });
    await setDelivery('failed');
    await append(api, client);
    await setStatus('failing');
    const listed = await listEndpoints(api.database, { tenantId: client.clientId });
    expect(listed).toHaveLength(4);
    expect(await listEndpoints(api.database, { tenantId: client.clientId, status: 'failing' })).toMatchObject(
      [{ registration: 'card', url: URL_A, status: 'failing', due: 1, failed: 2, parked: 0 }],
    );
    expect(await countDeliveries(api.database, client.clientId)).toEqual([
      { tenantId: client.clientId, registration: 'card', delivery: 'due', count: 1 },
      { tenantId: client.clientId, registration: 'card', delivery: 'failed', count: 2 },
    ]);
    const retried = await api.database.transaction((tx) =>
      retryFailed(tx, api.services.commands, { tenantId: client.clientId, registration: 'card' }),
    );
    expect(retried).toEqual({ ...COUNTERS, card: 2, total: 2 });
    expect(await deliveries()).toEqual(['due', 'due', 'due']);
    expect(api.commands).toMatchObject([{ action: 'look' }]);
  });

  it('returns overdue recoveries', async () => {
    await register(client, URL_A, 'card');
    await setStatus('failing'); // next probe on the 2nd
    const workflowId = `webhook-recovery-${client.clientId}-card`;
    const stale = async (date: string, except: string[] = []) => {
      const found = await reconcilableEndpoints.stale(api.database, new Date(date), 1_000, except);
      return found.filter(({ tenantId }) => tenantId === client.clientId);
    };
    expect(await stale('2026-03-01T23:59:00Z')).toEqual([]);
    expect(await stale('2026-03-02T00:01:00Z')).toMatchObject([{ workflowId, action: 'look' }]);
    expect(await stale('2026-03-02T00:01:00Z', [workflowId])).toEqual([]);
  });
});
