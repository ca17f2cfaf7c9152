/** @long plays every transfer through a capability that is off. */
import { randomUUID } from 'node:crypto';
import type { Capability } from '../../src/kernel/capabilities';
import { checkLedger } from '../../src/kernel/ledger/check';
import { PARTY_NAMES, type Party } from '../../src/kernel/parties';
import { PartyStopped } from '../../src/process/party-errors';
import { switchOff, switchOn } from '../../src/process/switches/operations';
import { advance } from '../../src/transfers/engine/advance';
import { payoutKind } from '../../src/transfers/payouts/kind';
import { type Client, type TestApi, testApi } from '../support/api';
import { activeCard, fund, keepRates, simulate } from '../support/cards';
import { resolvedIn } from '../support/documented';
import { create, created, fundedAccount, look, lookUntil, quote, read } from './payouts/support';

/** A switched-off capability or party refuses new requests. Running transfers go on to their end. */

let api: TestApi;
let client: Client;
let accountId: string;
beforeAll(async () => {
  api = await testApi();
});
beforeEach(async () => {
  client = await api.client();
  accountId = await fundedAccount(api, client);
});
afterEach(async () => expect(await checkLedger(api.database)).toEqual([]));
afterAll(() => api.close());

const reason = 'a test';
const switched = (
  verb: typeof switchOff | typeof switchOn,
  kind: 'capability' | 'party',
  name: string,
  tenantId: string | null = null,
) =>
  api.database.transaction(async (tx) => {
    await verb(tx, { kind, name, tenantId }, { at: new Date(), by: 'operator:ada', reason });
  });

/** Switches it off during the work, and waits until the switch takes effect. */
async function without<T>(what: { capability: Capability } | { party: Party }, work: () => Promise<T>) {
  const [kind, name] =
    'party' in what
      ? (['party', PARTY_NAMES[what.party]] as const)
      : (['capability', what.capability] as const);
  await switched(switchOff, kind, name);
  await passed();
  try {
    return await work();
  } finally {
    await switched(switchOn, kind, name);
    await passed();
  }
}

/** Waits until a switch takes effect, which takes a second. */
const passed = () => new Promise((resolve) => setTimeout(resolve, 1_050));

const capabilities = async () =>
  (await client.call('GET', '/v1/client/settings')).body.accounts.find(
    (account: { currency: string }) => account.currency === 'EUR',
  ).capabilities as string[];

it('a capability that is off refuses new requests, allows reads, and is not listed', async () => {
  const id = await created(client, accountId);
  expect(await capabilities()).toContain('payout');
  await without({ capability: 'payout' }, async () => {
    for (const answer of [await quote(client, accountId), await create(client, accountId)])
      expect([answer.status, answer.body.code]).toEqual([403, 'capability_disabled']);
    // The refusal comes after the path and the credential, and before the body.
    const path = '/v2/accounts/nonsense/payouts';
    expect((await client.call('POST', path, '{not json')).status).toBe(403);
    expect((await api.call('POST', path, {})).status).toBe(401);
    expect((await client.call('PATCH', path, {})).status).toBe(405);
    expect(await read(client, accountId, id)).toMatchObject({ id });
    expect(await capabilities()).not.toContain('payout');
    // The running payout is still ordered.
    await lookUntil(api, id, 'completed');
  });
  expect((await quote(client, accountId)).status).toBe(201);
});

it('a tenant’s capability that is off binds admins for this tenant only', async () => {
  const admin = await api.client('admin');
  const { id, userId, cardholderId } = await activeCard(api, client);
  const other = await api.client();
  const elsewhere = await fundedAccount(api, other);
  const body = { fromAccountId: accountId, toAccountId: accountId, amount: '1.00' };
  const asked = [
    ['payout', `/v2/accounts/${accountId}/payout-quote`, { method: 'sepa', amount: '10.00' }],
    ['deposit', `/v2/accounts/${accountId}/deposit-quote`, { method: 'card', amount: '10.00' }],
    [
      'card_topup',
      `/v2/accounts/${accountId}/topup/card`,
      { amount: '10.00', paymentMethodToken: 'tok_visa' },
    ],
    ['transfer', '/v1/users/transfer', body],
    ['card_issuing', '/v1/cards', { userId, accountId, cardholderId }],
    ['card_issuing', `/v1/cards/${id}/tokenize`, { wallet: 'apple_pay' }],
  ] as const;
  const codes = () =>
    Promise.all(
      asked.map(
        async ([, path, given]) =>
          (await admin.call('POST', path, given, { 'x-idempotency-key': randomUUID() })).body.code,
      ),
    );
  expect(await codes()).not.toContain('capability_disabled');
  for (const [capability] of asked) await switched(switchOff, 'capability', capability, client.clientId);
  await passed();
  expect(new Set(await codes())).toEqual(new Set(['capability_disabled']));
  expect((await admin.call('GET', `/v2/accounts/${accountId}/payouts`)).status).toBe(200);
  expect((await quote(admin, elsewhere)).status).toBe(201);
});

it('a party that is off gets no order, and the waiting ones once it is on', async () => {
  const id = await created(client, accountId);
  await without({ party: 'payouts' }, async () => {
    expect((await quote(client, accountId)).body.code).toBe('capability_disabled');
    for (const _ of [1, 2]) await expect(advance(api.services, payoutKind, id)).rejects.toThrow(PartyStopped);
    expect(await ordersAt(id)).toBe(0);
    const [row] = await api.database.query('select ordered_at from transfers where id = $1', [id]);
    expect(row).toEqual({ ordered_at: null });
  });
  await lookUntil(api, id, 'completed');
  expect(await ordersAt(id)).toBe(1);
});

it('a party that is off is still asked for its orders', async () => {
  const id = await created(client, accountId);
  await look(api, id);
  expect(await ordersAt(id)).toBe(1);
  await without({ party: 'payouts' }, async () => lookUntil(api, id, 'completed'));
});

it('a lost order is given again only when the party is on', async () => {
  const id = await created(client, accountId);
  await api.database.query('update transfers set ordered_at = now() where id = $1', [id]);
  await without({ party: 'payouts' }, async () => {
    await expect(advance(api.services, payoutKind, id)).rejects.toThrow(PartyStopped);
    expect(await ordersAt(id)).toBe(0);
  });
  await lookUntil(api, id, 'completed');
});

it('authorizations go on while card issuing is off', async () => {
  const card = await activeCard(api, client);
  await fund(api, card.accountId, '10.00');
  await without({ capability: 'card_issuing' }, async () => {
    const { userId, accountId: from, cardholderId } = card;
    const body = { userId, accountId: from, cardholderId, amount: '1.00' };
    expect((await client.call('POST', '/v1/cards', body)).body.code).toBe('capability_disabled');
    const answer = await simulate(client, { type: 'authorization', cardId: card.id, amount: '5.00' });
    expect([answer.status, answer.text]).toEqual([201, expect.stringContaining('authorization')]);
  });
});

it('rates that are off allow no exchange, and still convert authorizations and sums', async () => {
  const card = await activeCard(api, client);
  await fund(api, card.accountId, '20.00');
  const deposit = { method: 'card', amount: '10.00', currency: 'GBP' };
  const quoted = () => client.call('POST', `/v2/accounts/${accountId}/deposit-quote`, deposit);
  const { rates } = api.services.parties;
  const worth = rates.worth('EUR', 'USD')?.toFixed();
  await without({ party: 'rates' }, async () => {
    expect((await quoted()).body.code).toBe('capability_disabled');
    expect(() => rates.rate('EUR', 'USD')).toThrow(expect.objectContaining({ status: 403 }));
    expect(() => rates.snapshot()).toThrow(expect.objectContaining({ status: 403 }));
    expect((await client.call('GET', '/v1/exchange/rates')).body.code).toBe('capability_disabled');
    const exchanged = { toAccountId: accountId, amount: '1.00' };
    const path = `/v2/accounts/${card.accountId}/exchange-quote`;
    expect((await client.call('POST', path, exchanged)).body.code).toBe('capability_disabled');
    expect(rates.worth('EUR', 'USD')?.toFixed()).toBe(worth);
    const paid = await simulate(client, {
      type: 'authorization',
      cardId: card.id,
      amount: '1.00',
      currency: 'EUR',
    });
    expect([paid.status, paid.body.type]).toEqual([201, 'authorization']);
  });
  expect((await quoted()).status).toBe(201);
});

it('the OpenAPI document describes the refusal', async () => {
  const { body } = await client.call('GET', '/openapi.json');
  for (const [path, method] of [
    ['/v2/accounts/{accountId}/payouts', 'post'],
    ['/v2/accounts/{accountId}/deposit-quote', 'post'],
    ['/v2/accounts/{id}/topup/card', 'post'],
    ['/v1/cards', 'post'],
    ['/v1/users/transfer', 'post'],
    ['/v1/corporate-banking/{companyId}/account', 'get'],
  ])
    expect(
      resolvedIn(body, body.paths[path as string][method as string].responses['403']).description,
    ).toContain('capability_disabled');
});

it('a party that is left out has no endpoints and no callback', async () => {
  const without = await testApi({ partySettings: { payouts: 'off', rates: 'off', cardProcessor: 'off' } });
  const other = await without.client();
  await keepRates(without);
  const from = await fundedAccount(without, other);
  for (const [method, path] of [
    ['GET', `/v2/accounts/${from}/payouts`],
    ['POST', `/v2/accounts/${from}/payout-quote`],
    ['POST', '/v1/cards'],
  ] as const)
    expect((await other.call(method, path, method === 'GET' ? undefined : {})).body.code).toBe(
      'capability_disabled',
    );
  expect((await without.call('POST', '/callbacks/payouts', {})).status).not.toBe(200);
  const deposit = (currency: string) =>
    other.call('POST', `/v2/accounts/${from}/deposit-quote`, { method: 'card', amount: '10.00', currency });
  expect((await deposit('EUR')).status).toBe(201);
  await without.close();
});

async function ordersAt(id: string): Promise<number> {
  const rows = await api.database.query(
    'select 1 from sandbox_orders p join transfers t on p.key = coalesce(t.party_ref, t.id) where t.id = $1',
    [id],
  );
  return rows.length;
}
