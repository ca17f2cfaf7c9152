/** @long @isolated launches the product. */
import type { Credential, Json } from '../../scripts/support/api';
import { START_MS } from '../startup/process';
import { command } from '../support/operator';
import { startWhole } from '../support/product';
import { until } from '../support/until';
import { clientAt } from './client';
import { installation } from './installation';

/** Each row of the table in docs/sandbox.md, "The clock", on `npm start` with a real Temporal server. */

/** Each rule comes within seconds, so that a rule that does not come fails alone. */
jest.setTimeout(60_000);

const world = installation();
const callerOf = (credential: Credential) => {
  const { call } = clientAt(world.whole.credentials.baseUrl, credential);
  return async (...given: Parameters<typeof call>): Promise<Json> => (await call(...given)).body;
};
const client = () => callerOf(world.whole.credentials.client);
const admin = () => callerOf(world.whole.credentials.admin);
const operator = (...argv: string[]) => command({ DATA_DIR: world.dataDir }, ...argv);

let keys = 0;
const key = () => ({ 'x-idempotency-key': `clock-${(keys += 1)}` });
const advance = (duration: string) => admin()('POST', '/sandbox/clock', { advance: duration }, key());

async function accountIn(currency: string): Promise<string> {
  const { data } = (await client()('GET', '/v1/accounts')) as { data: Json[] };
  return data.find((account) => account['currency'] === currency)?.['id'];
}

async function deposited(amount: string): Promise<() => Promise<string>> {
  const path = `/v2/accounts/${await accountIn('USD')}`;
  const { quoteId } = await client()('POST', `${path}/deposit-quote`, { method: 'card', amount });
  const body = { quoteId, returnUrl: 'https://shop.example/back' };
  const { id } = await client()('POST', `${path}/deposits`, body, key());
  return async () => (await client()('GET', `${path}/deposits/${id}`))['status'];
}

/** @returns the card's id */
async function issued(label?: string): Promise<string> {
  const accountId = await accountIn('USD');
  const { id: userId } = await client()('POST', '/v1/users', {
    meta: { firstName: 'Ada', lastName: 'Byron', email: `ada-${(keys += 1)}@example.com` },
  });
  const bin = '44112200';
  const { id: cardholderId } = await client()('POST', `/v1/users/${userId}/cardholder`, { accountId, bin });
  const card = { userId, accountId, cardholderId, amount: '100.00', ...(label ? { label } : {}) };
  return (await client()('POST', '/v1/cards', card))['id'];
}

const card = (id: string) => client()('GET', `/v1/cards/${id}`);
const isCard = (id: string, status: string) => until(async () => (await card(id))['status'] === status);

beforeAll(async () => {
  await admin()('POST', '/v1/accounts/admin-deposit', {
    accountId: await accountIn('USD'),
    amount: '5000.00',
    reason: 'test',
  });
}, START_MS);

it('makes an unpaid deposit expire', async () => {
  const status = await deposited('10.00');
  await until(async () => (await status()) === 'awaiting_payment');
  await advance('PT31M');
  await until(async () => (await status()) === 'expired');
});

it('makes the checkout settle a payment of yesterday', async () => {
  const status = await deposited('700.03');
  await until(async () => (await status()) === 'processing');
  await advance('PT24H');
  await until(async () => (await status()) === 'completed');
});

it('releases the hold of an authorization whose validity has ended, before the answer', async () => {
  const cardId = await issued();
  await isCard(cardId, 'active');
  await client()('POST', '/sandbox/transactions', { cardId, type: 'authorization', amount: '40.00' });
  await advance('P6D');
  expect(await card(cardId)).toMatchObject({ balance: { pending: '40.00' } });
  await advance('P2D');
  expect(await card(cardId)).toMatchObject({ balance: { available: '100.00', pending: '0.00' } });
});

it('lets the card processor come back after a day', async () => {
  const cardId = await issued('sandbox:unreachable-day');
  await advance('PT1S'); // the day begins with the first order, which was given before this answer
  await advance('PT25H');
  await isCard(cardId, 'active');
});

it('ends an expired allocation of a wallet, and its rest', async () => {
  const body = {
    chain: 'local',
    asset: 'USDT',
    accountId: await accountIn('USD'),
    reference: 'clock',
    ttlSeconds: 3_600,
  };
  const counts = async () => {
    const { data } = (await admin()('GET', '/v1/wallets/stats')) as { data: Json[] };
    const { available, allocated, quarantined } = data.find(({ chain }) => chain === 'local') ?? {};
    return { available, allocated, quarantined };
  };
  await client()('POST', '/v1/wallets/allocate', body);
  const before = await counts();
  await advance('PT1H');
  await until(async () => (await counts()).allocated === before.allocated - 1);
  expect(await counts()).toMatchObject({ quarantined: before.quarantined + 1 });
  await advance('P1D');
  expect(await counts()).toMatchObject({ quarantined: 0 });
});

it('takes the monthly fee of a virtual IBAN, before the answer', async () => {
  const { clientId } = world.whole.credentials.client;
  expect(await operator('iban', 'enable', clientId)).toMatchObject({ code: 0 });
  const account = () => client()('GET', `/v1/corporate-banking/${clientId}/account`);
  const { iban } = await account();
  await client()('POST', '/sandbox/iban-credits', { iban, amount: '100.00' });
  await until(async () => JSON.stringify(await account()).includes('"100.00"'));
  await advance('P32D');
  expect(JSON.stringify(await account())).toMatch(/"(?:80|90)\.00"/); // one month has ended, or two
});

it('moves the time of the local chain', async () => {
  const { now } = await advance('PT1H');
  const { url } = await chain();
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'eth_getBlockByNumber',
      params: ['latest', false],
    }),
  });
  const { result } = (await response.json()) as { result: { timestamp: string } };
  expect(Math.abs(Number(result.timestamp) * 1_000 - Date.parse(now))).toBeLessThan(60_000);
});

async function chain(): Promise<{ url: string }> {
  const { data } = (await admin()('GET', '/v1/networks')) as { data: Json[] };
  return { url: data.find(({ chain }) => chain === 'local')?.['rpcUrls'][0] };
}

it(
  'keeps the time over a new start, and pays as before',
  async () => {
    const { now, offsetSeconds } = await admin()('GET', '/sandbox/clock');
    expect(offsetSeconds).toBeGreaterThan(40 * 86_400);
    expect(await world.whole.stop()).toBe(0);
    world.whole = await startWhole(world.dataDir);
    const after = await admin()('GET', '/sandbox/clock');
    expect(after).toMatchObject({ offsetSeconds });
    expect(Date.parse(after['now'])).toBeGreaterThan(Date.parse(now));
    const status = await deposited('700.01');
    await until(async () => (await status()) === 'completed');
    expect((await operator('ledger', 'check')).code).toBe(0);
  },
  START_MS,
);
