import { randomUUID } from 'node:crypto';
import { authorizationFor } from '../../../src/parties/protocol/signature';
import { partyPath, partySecret } from '../../../src/parties/sandbox/mount';
import type { SandboxParty } from '../../../src/parties/sandbox/options';
import { credit, type SandboxWorld, sandboxWorld } from './support';

/** A key belongs to one order. Another order under it is a conflict, because the first one was carried out. */

let world: SandboxWorld;
beforeAll(async () => {
  world = await sandboxWorld();
});
afterAll(() => world.close());

function post(party: SandboxParty, path: string, body: object, key: string) {
  const { api } = world;
  const authorization = authorizationFor(partySecret(api.services.keyring, party));
  return api.call('POST', partyPath(party) + path, body, { authorization, 'idempotency-key': key });
}

const money = { amount: '10.00', currency: 'EUR' };
const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
const payout = () => ({ method: 'sepa', ...money, destination: {}, callbackUrl: `${world.shop.url}/a` });
const card = () => ({
  token: 'tok_visa',
  ...money,
  merchant: 'Acme',
  returnUrl: null,
  expiresAt,
  callbackUrl: `${world.shop.url}/a`,
});
const deal = () => ({ from: 'EUR', to: 'USD', amount: '10.00', callbackUrl: `${world.shop.url}/a` });
const withdrawal = () => ({ ...money, destination: { name: 'Acme' }, callbackUrl: `${world.shop.url}/a` });
const session = () => ({
  method: 'card',
  ...money,
  merchant: 'Acme',
  expiresAt,
  returnUrl: 'https://shop.example/',
  callbackUrl: `${world.shop.url}/a`,
});

it.each<[SandboxParty, string, () => object]>([
  ['payouts', '/orders', payout],
  ['external-cards', '/charges', card],
  ['external-cards', '/pushes', card],
  ['checkout', '/sessions', session],
  ['exchange', '/orders', deal],
  ['exchange', '/withdrawals', withdrawal],
])('%s %s: another amount under a used key is 409', async (party, path, order) => {
  const key = `key-${randomUUID()}`;
  const first = await post(party, path, order(), key);
  expect(first.status).toBe(201);
  const other = await post(party, path, { ...order(), amount: '11.00' }, key);
  expect([other.status, other.body.code]).toEqual([409, 'idempotency_mismatch']);
  // The callback address may have changed since.
  const again = await post(party, path, { ...order(), callbackUrl: `${world.shop.url}/b` }, key);
  expect(again.status).toBe(201);
});

it('a push under the key of a charge is 409', async () => {
  const key = `key-${randomUUID()}`;
  expect((await post('external-cards', '/charges', card(), key)).status).toBe(201);
  expect((await post('external-cards', '/pushes', card(), key)).status).toBe(409);
});

it('a return of another payment or amount under a used key is 409', async () => {
  const [one, two] = [await credit(world, '100'), await credit(world, '100')];
  const key = `key-${randomUUID()}`;
  const give = (ref: string, amount: string) => post('bank', `/credits/${ref}/returns`, { amount }, key);
  expect((await give(one.ref, '5')).status).toBe(201);
  expect((await give(one.ref, '5.00')).status).toBe(201);
  for (const other of [give(one.ref, '6'), give(two.ref, '5')])
    expect([(await other).status, (await other).body.code]).toEqual([409, 'idempotency_mismatch']);
  expect((await one.word())['returns']).toHaveLength(1);
});

it('a refund of another session or amount under a used key is 409', async () => {
  const paid = async () => {
    const made = await post('checkout', '/sessions', { ...session(), amount: '700.01' }, randomUUID());
    return made.body.sessionId as string;
  };
  const [one, two] = [await paid(), await paid()];
  const key = `key-${randomUUID()}`;
  const refund = (id: string, amount: string) =>
    post('checkout', `/sessions/${id}/refunds`, { amount, currency: 'EUR' }, key);
  expect((await refund(one, '5')).status).toBe(201);
  expect((await refund(one, '5.00')).status).toBe(201);
  for (const other of [refund(one, '6'), refund(two, '5')])
    expect([(await other).status, (await other).body.code]).toEqual([409, 'idempotency_mismatch']);
});
