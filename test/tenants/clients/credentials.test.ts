import { type Client, type TestApi, testApi } from '../../support/api';
import { until } from '../../support/until';

let api: TestApi;
let client: Client;
beforeAll(async () => {
  api = await testApi();
  client = await api.client();
});
afterAll(() => api.close());

const rotate = (headers: Record<string, string>, body: unknown = {}) =>
  api.call('POST', '/v1/client/secret/rotate', body, headers);
const as = (clientSecret: string) => ({ 'x-client-id': client.clientId, 'x-client-secret': clientSecret });

it('answers the same 401 for any wrong or missing header', async () => {
  const answers = await Promise.all([
    rotate({}),
    rotate({ 'x-client-id': client.clientId }),
    rotate(as('wrong')),
    rotate({ 'x-client-id': 'nonsense', 'x-client-secret': client.clientSecret }),
    rotate({ 'x-client-id': (await api.client()).clientId, 'x-client-secret': client.clientSecret }),
  ]);
  const bodies = answers.map(({ body }) => ({ ...body, requestId: '' }));
  expect(answers.map((answer) => answer.status)).toEqual([401, 401, 401, 401, 401]);
  expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
  expect(bodies[0]).toMatchObject({ code: 'unauthorized' });
});

it('reveals a disabled tenant only for its right secret', async () => {
  const own = await api.client();
  const call = (clientSecret: string) =>
    api.call('GET', '/v1/accounts', undefined, {
      'x-client-id': own.clientId,
      'x-client-secret': clientSecret,
    });
  await api.database.query(`update tenants set status = 'disabled' where id = $1`, [own.clientId]);
  for (let each = 0; each < 15; each += 1) {
    // more often than the tenant is read again
    const { status, body } = await call(own.clientSecret);
    expect([status, body.code]).toEqual([401, 'client_disabled']);
  }
  expect((await call('wrong')).body).toMatchObject({ code: 'unauthorized' });
  await api.database.query(`update tenants set status = 'active' where id = $1`, [own.clientId]);
  await until(async () => (await call(own.clientSecret)).status === 200);
});

const statusOf = async (clientSecret: string) =>
  (await api.call('GET', '/v1/accounts', undefined, as(clientSecret))).status;

describe('rotation', () => {
  beforeEach(async () => {
    client = await api.client();
  });

  /** Rotates and returns the new secret. */
  async function rotated(clientSecret: string, body: object = {}): Promise<string> {
    const answer = await rotate(as(clientSecret), body);
    expect([answer.status, answer.body.clientId]).toEqual([201, client.clientId]);
    return answer.body.clientSecret as string;
  }

  it('keeps the old secret in its overlap, in which it authenticates but cannot rotate', async () => {
    const before = Date.now();
    const answer = await rotate(as(client.clientSecret), { overlapSeconds: 3600 });
    expect(Math.abs(Date.parse(answer.body.overlapEndsAt) - before - 3_600_000)).toBeLessThan(60_000);
    const current = answer.body.clientSecret as string;
    expect([await statusOf(client.clientSecret), await statusOf(current)]).toEqual([200, 200]);
    const refused = await rotate(as(client.clientSecret), { overlapSeconds: 0 });
    expect(refused).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    expect(refused.body.message).toMatch(/current secret/);
    expect([await statusOf(client.clientSecret), await statusOf(current)]).toEqual([200, 200]);
  });

  it('keeps two secrets at most, because the next rotation ends the one in its overlap', async () => {
    const second = await rotated(client.clientSecret, { overlapSeconds: 86_400 });
    const third = await rotated(second, { overlapSeconds: 60 });
    expect(await Promise.all([client.clientSecret, second, third].map(statusOf))).toEqual([401, 200, 200]);
  });

  it('with 0 ends all other secrets at once, which then neither authenticate nor rotate', async () => {
    const second = await rotated(client.clientSecret);
    const third = await rotated(second, { overlapSeconds: 0 });
    expect(await Promise.all([client.clientSecret, second, third].map(statusOf))).toEqual([401, 401, 200]);
    expect((await rotate(as(second))).status).toBe(401);
    expect(await statusOf(third)).toBe(200);
  });

  it.each([0, 3600])(
    'by one of many concurrent calls with the same secret and %i s succeeds',
    async (overlapSeconds) => {
      expect(await statusOf(client.clientSecret)).toBe(200);
      const answers = await Promise.all(
        Array.from({ length: 12 }, () => rotate(as(client.clientSecret), { overlapSeconds })),
      );
      const won = answers.filter(({ status }) => status === 201);
      expect(won).toHaveLength(1);
      for (const { status } of answers) expect([201, 401, 403]).toContain(status);
      const live = await api.database.query<{ expires_at: Date | null }>(
        'select expires_at from credentials where tenant_id = $1 and (expires_at is null or expires_at > now())',
        [client.clientId],
      );
      expect(live.filter((row) => row.expires_at === null)).toHaveLength(1);
      expect(live).toHaveLength(overlapSeconds === 0 ? 1 : 2);
      expect(await statusOf(won[0]?.body.clientSecret)).toBe(200);
    },
  );

  it('is audited with the valid secrets before and after, but without any secret', async () => {
    const second = await rotated(client.clientSecret);
    const third = await rotated(second, { overlapSeconds: 0 });
    const entries = await api.database.query<Record<string, any>>(
      'select actor, action, tenant_id, request_id, before, after from audit_log where subject = $1 order by id',
      [client.clientId],
    );
    const by = { actor: client.clientId, action: 'client.rotate-secret', tenant_id: client.clientId };
    expect(entries).toMatchObject([by, by]);
    const [first, last] = entries;
    expect(first?.['before'].inOverlap).toEqual([]);
    expect(first?.['after'].inOverlap.map((each: { id: string }) => each.id)).toEqual([
      first?.['before'].current,
    ]);
    expect(last?.['before']).toEqual(first?.['after']);
    expect(last?.['after'].inOverlap).toEqual([]);
    const text = JSON.stringify(entries);
    for (const secret of [client.clientSecret, second, third]) expect(text).not.toContain(secret);
  });

  it('refuses an invalid overlap', async () => {
    for (const overlapSeconds of [-1, 1.5, 30 * 86_400 + 1])
      expect((await rotate(as(client.clientSecret), { overlapSeconds })).body).toMatchObject({
        code: 'invalid_request',
        field: 'overlapSeconds',
      });
  });

  it('gives no secret to a tenant that was just disabled, although it is still cached', async () => {
    expect(await statusOf(client.clientSecret)).toBe(200);
    await api.database.query(`update tenants set status = 'disabled' where id = $1`, [client.clientId]);
    expect(await rotate(as(client.clientSecret))).toMatchObject({
      status: 401,
      body: { code: 'client_disabled' },
    });
    const secrets = await api.database.query('select 1 from credentials where tenant_id = $1', [
      client.clientId,
    ]);
    expect(secrets).toHaveLength(1);
  });
});
