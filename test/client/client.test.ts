/** @long */
import { type Cardwright, CardwrightError, cardwright, NoAnswer, until } from '../../client/src';
import { type Client, type TestApi, testApi } from '../support/api';
import { fund, masterAccount } from '../support/cards';
import { type Fault, type FaultyProxy, faultyProxy } from './faulty-proxy';

/** The kit calls the real API over real HTTP, through a proxy that breaks connections. */

let api: TestApi;
let proxy: FaultyProxy;
let client: Client;
let kit: Cardwright;
beforeAll(async () => {
  [api, proxy] = await Promise.all([testApi(), faultyProxy(() => api.url)]);
});
beforeEach(async () => {
  client = await api.client();
  kit = cardwright({ baseUrl: `${proxy.url}/`, ...client, timeoutMs: 20_000 });
  proxy.faults.length = 0;
  proxy.seen.length = 0;
});
afterAll(async () => {
  await proxy.close();
  await api.close();
});

const keys = () => proxy.seen.map(({ headers }) => headers['x-idempotency-key']);
const failed = (asked: Promise<unknown>): Promise<CardwrightError> =>
  asked.then(
    () => Promise.reject(new Error('it was not refused')),
    (error: CardwrightError) => error,
  );

const AWAY: Fault = { status: 503, headers: { 'retry-after': '0' }, body: { code: 'unavailable' } };

it('repeats a write under one key through every fault, with one effect', async () => {
  const running: Fault = { status: 409, body: { code: 'idempotency_in_progress' } };
  proxy.faults.push('before', 'after', AWAY, { status: 502 }, running, { status: 429 });
  const user = await kit.createUser({ body: { externalId: 'once' } });
  expect(user).toMatchObject({ externalId: 'once', status: 'active' });
  expect(proxy.seen).toHaveLength(7);
  expect(new Set(keys())).toEqual(new Set([expect.stringMatching(/^[0-9a-f-]{36}$/)]));
  const { data } = await kit.listUsers();
  expect(data.map(({ id }) => id)).toEqual([user.id]);
  expect(keys().at(-1)).toBeUndefined();
});

it('gives each write a key of its own, and takes a key of the caller', async () => {
  await kit.createUser({ body: {} });
  await kit.createUser({ body: {} });
  const [first, second] = [
    await kit.createUser({ body: { externalId: 'mine' }, key: 'order-1' }),
    await kit.createUser({ body: { externalId: 'mine' }, key: 'order-1' }),
  ];
  expect(first).toEqual(second);
  expect(new Set(keys()).size).toBe(3);
  expect(keys().slice(2)).toEqual(['order-1', 'order-1']);
});

it('waits as long as Retry-After says', async () => {
  proxy.faults.push({ status: 429, headers: { 'retry-after': '1' } });
  const began = performance.now();
  await kit.listUsers();
  expect(performance.now() - began).toBeGreaterThanOrEqual(990);
});

it('ends at once when Retry-After is beyond its patience', async () => {
  proxy.faults.push({ status: 429, headers: { 'retry-after': '3600' }, body: { code: 'rate_limited' } });
  const began = performance.now();
  expect(await failed(kit.listUsers())).toMatchObject({ status: 429, code: 'rate_limited' });
  expect(performance.now() - began).toBeLessThan(5_000);
});

it('breaks off an attempt at its time limit, and tries again', async () => {
  proxy.faults.push('hangs');
  const user = await kit.createUser({ body: {}, timeoutMs: 300 });
  expect(user.id).toMatch(/^usr_/);
  expect(proxy.seen).toHaveLength(2);
});

it('says that the outcome is unknown when no attempt gets an answer, and names the key', async () => {
  proxy.faults.push('after');
  const lost = await failed(kit.createUser({ body: { externalId: 'lost' }, patienceMs: 0 }));
  expect(lost).toBeInstanceOf(NoAnswer);
  expect(lost.message).toMatch(/^POST \/v1\/users got no answer: /);
  const again = await kit.createUser({ body: { externalId: 'lost' }, key: lost.key! });
  expect((await kit.listUsers()).data).toEqual([again]);
});

it('tells code, field and every wrong field of a refusal, and does not repeat it', async () => {
  const accountId = await masterAccount(client);
  proxy.seen.length = 0;
  const body = { toAccountId: accountId, amount: 'much', side: 'up' };
  const refused = await failed(kit.quoteExchange({ path: { accountId }, body: body as never }));
  expect(refused).toBeInstanceOf(CardwrightError);
  expect(refused).toMatchObject({ status: 400, code: 'invalid_request', field: 'amount' });
  expect(refused.errors.map(({ field }) => field)).toEqual(['amount', 'side']);
  expect(refused.message).toContain('POST /v2/accounts/acc_');
  expect(refused.requestId).toBe(refused.answer.headers.get('x-request-id'));
  expect(proxy.seen).toHaveLength(1);
  const missing = await failed(kit.getCard({ path: { id: 'card/../x' } }));
  expect(missing).toMatchObject({ status: 404, code: 'not_found' });
  expect(proxy.seen.at(-1)?.url).toBe('/v1/cards/card%2F..%2Fx');
});

it('reads a list page by page until its end', async () => {
  for (const externalId of ['1', '2', '3', '4', '5']) await kit.createUser({ body: { externalId } });
  proxy.seen.length = 0;
  const found: (string | undefined)[] = [];
  proxy.faults.push('before', AWAY);
  for await (const user of kit.each('listUsers', { query: { limit: 2 } })) found.push(user.externalId);
  expect(found).toEqual(['5', '4', '3', '2', '1']);
  expect(proxy.seen).toHaveLength(5);
  for await (const { externalId } of kit.each('listUsers')) if (externalId === '4') break;
  expect(proxy.seen.at(-1)?.url).toBe('/v1/users?limit=100');
});

it('asks the API to wait, and polls until a record is as wanted', async () => {
  const accountId = await masterAccount(client);
  setTimeout(() => void fund(api, accountId, '5.00'), 500);
  const { available } = await until(
    () => kit.getAccountBalance({ path: { accountId } }),
    (balance) => balance.available === '5.00',
    { pauseMs: 50 },
  );
  expect(available).toBe('5.00');
  const never = until(
    () => Promise.resolve('pending'),
    (status) => status === 'done',
    { patienceMs: 0 },
  );
  await expect(never).rejects.toThrow('"pending"');
  await failed(kit.issueCard({ body: {} as never, wait: 3 }));
  expect(proxy.seen.at(-1)?.headers['prefer']).toBe('wait=3');
});

it('ends when its caller gives up', async () => {
  const giveUp = new AbortController();
  proxy.faults.push('hangs');
  const asked = kit.listUsers({ signal: giveUp.signal });
  setTimeout(() => giveUp.abort(), 100);
  await expect(asked).rejects.toThrow('aborted');
  expect(proxy.seen).toHaveLength(1);
});

it('sends forms, reads files, and answers undefined for an empty answer', async () => {
  const { id } = await kit.createUser({ body: {} });
  const form = new FormData();
  form.set('slot', 'idFrontImg');
  form.set('file', new Blob([Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16]), 'JFIF\0']), 'front.jpg');
  proxy.faults.push('after');
  const document = await kit.uploadKycDocument({ path: { id }, body: form });
  expect((await kit.listKycDocuments({ path: { id } })).data).toHaveLength(1);
  const path = { id, docId: document.id };
  const bytes = await kit.downloadKycDocument({ path });
  expect(Buffer.from(bytes).subarray(6, 10).toString()).toBe('JFIF');
  expect(await kit.deleteKycDocument({ path })).toBeUndefined();
});

it('has types that refuse what the API would refuse', () => {
  const wrong = [
    // @ts-expect-error no such operation
    () => kit.createCards(),
    // @ts-expect-error the path is missing
    () => kit.getCard(),
    // @ts-expect-error the body lacks the amount
    () => kit.quoteDeposit({ path: { accountId: 'acc_1' }, body: { method: 'card' } }),
    // @ts-expect-error an amount is a string
    () => kit.topUpCard({ path: { id: 'card_1' }, body: { amount: 5 } }),
    // @ts-expect-error no such filter
    () => kit.listCards({ query: { colour: 'red' } }),
    // @ts-expect-error it is no list
    () => kit.each('getCard', { path: { id: 'card_1' } }),
    // @ts-expect-error no such field
    async () => (await kit.getCard({ path: { id: 'card_1' } })).colour,
  ];
  expect(wrong).toHaveLength(7);
});
