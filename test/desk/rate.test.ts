import { createRateLimiter } from '../../src/kernel/rate-limit';
import { type TestApi, testApi } from '../support/api';
import { type TestDesk, testDesk } from '../support/desk';
import { entered, wordsIn } from './console/support';
import { type Ask, asOperator, operators, type Person } from './support';

/** Milliseconds of the limiter. */
let at = 0;
let api: TestApi;
let desk: TestDesk;
let people: Person[];
let ida: Ask;
beforeAll(async () => {
  api = await testApi();
  desk = await testDesk(api.services, { spend: createRateLimiter(() => at) });
  people = await operators(api, 'ida', 'bob');
  ida = await asOperator(desk.url, people[0] as Person);
});
beforeEach(() => {
  at += 60_000;
});
afterAll(async () => {
  await desk.close();
  await api.close();
});

/** Takes all tokens of the operator's bucket. */
async function exhaust(): Promise<void> {
  for (let batch = 0; batch < 20; batch += 1)
    await Promise.all(Array.from({ length: 10 }, () => ida('GET', 'approvals/apr_none')));
}

it('refuses an operator by 429 over HTTP until a token is there again', async () => {
  const { headers } = await ida('GET', 'catalogue');
  expect([headers['ratelimit-limit'], headers['ratelimit-remaining']]).toEqual(['200', '199']);
  await exhaust();
  const { status, headers: told, body } = await ida('GET', 'catalogue');
  expect([status, told['retry-after'], body.code]).toEqual([429, '1', 'rate_limited']);
  at += 10;
  expect((await ida('GET', 'catalogue')).status).toBe(200);
});

it('refuses the operator’s pages too, and says so, but no other operator', async () => {
  const page = await entered(desk.url, people[0] as Person);
  const other = await entered(desk.url, people[1] as Person);
  await exhaust();
  const { status, headers, text } = await page.get('/work');
  expect([status, headers['retry-after']]).toEqual([429, '1']);
  expect(wordsIn(text)).toContain('Too many requests Too many requests. Try again in 1 second.');
  expect((await other.get('/work')).status).toBe(200);
  at += 10;
  expect((await page.get('/work')).status).toBe(200);
});
