import { preferredWait } from '../../src/http/prefer-wait';
import { createRateLimiter } from '../../src/kernel/rate-limit';
import { json, type Kit, testKit } from './kit';

let kit: Kit;
beforeAll(async () => {
  kit = await testKit();
});
afterAll(() => kit.close());

describe('the rate limit of a tenant', () => {
  it('is shown in each answer, and is a 429 with Retry-After beyond the burst', async () => {
    // So slow that no token is added during the test, however long it takes.
    const slow = await kit.client('client', { rateLimit: { perSecond: 0.001, burst: 3 } });
    const answers = [];
    for (let each = 0; each < 4; each += 1) answers.push(await kit.call('/things', { headers: slow }));
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 429]);
    expect(answers.map((answer) => answer.headers['ratelimit-remaining'])).toEqual(['2', '1', '0', '0']);
    const refused = answers[3]!;
    expect(refused.headers).toMatchObject({ 'ratelimit-limit': '3', 'ratelimit-policy': '3;w=3000' });
    expect(refused.body).toMatchObject({ code: 'rate_limited' });
    const wait = Number(refused.headers['retry-after']);
    expect(wait).toBeGreaterThan(900);
    expect(wait).toBeLessThanOrEqual(1000);
    const other = await kit.client();
    expect((await kit.call('/things', { headers: other })).status).toBe(200);
    expect((await kit.call('/things')).status).toBe(401);
  });

  it('holds back the refusals of a tenant that goes on regardless, and of no other', async () => {
    const flooding = await kit.client('client', { rateLimit: { perSecond: 0.001, burst: 1 } });
    const other = await kit.client();
    const answered: { name: string; ms: number }[] = [];
    const ask = async (name: string, headers: Record<string, string>) => {
      const begun = performance.now();
      const { status } = await kit.call('/things', { headers });
      answered.push({ name, ms: performance.now() - begun });
      return status;
    };
    const flood = Array.from({ length: 200 }, () => ask('flooding', flooding));
    // The other tenant asks last, and would be answered last if nobody were held back.
    expect(await ask('other', other)).toBe(200);
    expect((await Promise.all(flood)).sort()).toEqual([200, ...Array<number>(199).fill(429)]);
    expect(answered.findIndex(({ name }) => name === 'other')).toBeLessThan(180);
    expect(answered.filter(({ ms }) => ms > 480).length).toBeGreaterThan(20);
  });

  it('is thirty a minute for sensitive data, beside the limit of all requests', async () => {
    const [client, other] = [await kit.client(), await kit.client()];
    const ask = (headers: Record<string, string>) => kit.call('/things/1/sensitive', { headers });
    const begun = performance.now();
    const first = await ask(client);
    expect(first.headers).toMatchObject({
      'ratelimit-limit': '30',
      'ratelimit-remaining': '29',
      'ratelimit-policy': '30;w=60',
    });
    const answers = await Promise.all(Array.from({ length: 60 }, () => ask(client)));
    // A token is added each two seconds.
    const added = Math.ceil((performance.now() - begun) / 2_000);
    const answered = answers.filter(({ status }) => status === 200).length;
    expect(answered).toBeGreaterThanOrEqual(29);
    expect(answered).toBeLessThanOrEqual(29 + added);
    expect(answers.find(({ status }) => status !== 200)).toMatchObject({
      status: 429,
      headers: { 'retry-after': expect.stringMatching(/^[12]$/) },
      body: { code: 'rate_limited', message: 'Too many requests for sensitive data.' },
    });
    expect((await kit.call('/things', { headers: client })).status).toBe(200);
    expect((await ask(other)).status).toBe(200);
    expect(kit.sensitive).toEqual({ answered: answered + 2, refused: 60 - answered });
  });

  it('refills over time up to the burst', () => {
    let now = 0;
    const spend = createRateLimiter(() => now);
    const limit = { perSecond: 10, burst: 2 };
    expect([spend('a', limit), spend('a', limit), spend('a', limit)].map((spent) => spent.allowed)).toEqual([
      true,
      true,
      false,
    ]);
    now = 100;
    expect([spend('a', limit).allowed, spend('a', limit).allowed]).toEqual([true, false]);
    now = 60_000;
    expect(spend('a', limit)).toEqual({ allowed: true, remaining: 1, reset: 1 });
  });
});

describe('Prefer: wait', () => {
  it.each([
    ['wait=5', 5],
    ['respond-async, wait=10', 10],
    ['wait=10; foo=bar', 10],
    ['WAIT = "7"', 7],
    ['wait=0', 0],
    ['wait=999', 30],
    ['', undefined],
    ['wait', undefined],
    ['wait=soon', undefined],
    ['wait=-1', undefined],
    ['wait=1.5', undefined],
    ['await=5', undefined],
  ])('%j asks for %p seconds', (given, seconds) => {
    expect(preferredWait(given)).toBe(seconds);
  });

  it('delays the answer until the record is settled, and stores the first state', async () => {
    const client = await kit.client();
    const ask = () =>
      kit.call(
        '/things',
        json({ amount: '5' }, { ...client, prefer: 'wait=30', 'x-idempotency-key': 'wait-1' }),
      );
    const first = await ask();
    expect(first).toMatchObject({ status: 201, body: { amount: '5', state: 'settled' } });
    expect(first.headers['preference-applied']).toBe('wait=30');
    const again = await ask();
    expect(again.body).toMatchObject({ id: first.body.id, state: 'new' });
    expect(again.headers).toMatchObject({ 'x-idempotent-replayed': 'true' });
  });

  it('answers with the present state after the time, and at once without the preference', async () => {
    const client = await kit.client();
    const none = await kit.call('/things', json({ amount: '5' }, client));
    expect([none.body.state, none.headers['preference-applied']]).toEqual(['new', undefined]);
    const zero = await kit.call('/things', json({ amount: '5' }, { ...client, prefer: 'wait=0' }));
    expect([zero.body.state, zero.headers['preference-applied']]).toEqual(['new', 'wait=0']);
  });

  it('does not delay a refusal', async () => {
    const client = await kit.client();
    const refused = await kit.call('/things', json({ amount: '500' }, { ...client, prefer: 'wait=30' }));
    expect([refused.status, refused.headers['preference-applied']]).toEqual([409, undefined]);
  });
});
