/** @long */
import type { PartySettings } from '../../../src/kernel/config/parties';
import { switchOff } from '../../../src/process/switches/operations';
import { type Client, type TestApi, testApi } from '../../support/api';
import { fund, keepRates, masterAccount } from '../../support/cards';
import { resolvedIn } from '../../support/documented';

/** Requests that need the exchange or rates, while either is stopped or left out. */

interface Without {
  api: TestApi;
  client: Client;
  admin: Client;
  eur: string;
  usd: string;
}

const open: TestApi[] = [];
afterEach(async () => {
  for (const api of open.splice(0)) await api.close();
});

async function without(partySettings: PartySettings): Promise<Without> {
  const api = await testApi({ partySettings });
  open.push(api);
  const [client, admin] = [await api.client(), await api.client('admin')];
  const [eur, usd] = [await masterAccount(client, 'EUR'), await masterAccount(client, 'USD')];
  await keepRates(api);
  await fund(api, eur, '100.00');
  return { api, client, admin, eur, usd };
}

async function stopped(party: 'exchange' | 'rates', settings: PartySettings = {}): Promise<Without> {
  const on = await without(settings);
  await stop(on, party);
  return on;
}

async function stop({ api }: Without, party: 'exchange' | 'rates'): Promise<void> {
  const how = { at: new Date(), by: 'operator:ada', reason: 'a test' };
  await api.database.transaction(
    async (tx) => void (await switchOff(tx, { kind: 'party', name: party, tenantId: null }, how)),
  );
  // A switch takes effect within a second.
  await new Promise((resolve) => setTimeout(resolve, 1_050));
}

const ORDERS = '/v1/exchange/orders';
const WITHDRAWALS = '/v1/exchange/withdrawals';
const DESTINATIONS = '/v1/exchange/withdrawal-destinations';
const RATES = '/v1/exchange/rates';
const BALANCE = '/v1/exchange/settlement/balance';
const CHECK = '/v1/exchange/settlement/check-increase';

const codeOf = async (by: Client, method: string, path: string, body?: unknown) =>
  (await by.call(method, path, body)).body.code as string | undefined;

const canExchange = async ({ client, eur }: Without) =>
  (await client.call('GET', '/v1/client/settings')).body.accounts
    .find(({ accountId }: { accountId: string }) => accountId === eur)
    .capabilities.includes('exchange') as boolean;

const quoteCode = ({ client, eur, usd }: Without) =>
  codeOf(client, 'POST', `/v2/accounts/${eur}/exchange-quote`, { toAccountId: usd, amount: '1.00' });

async function orderStatus({ client, eur, usd }: Without): Promise<number> {
  const body = { fromAccountId: eur, toAccountId: usd, amount: '10.00' };
  return (await client.call('POST', ORDERS, body, { 'x-idempotency-key': 'one' })).status;
}

it('a stopped exchange refuses new orders and withdrawals before it reads the body, and allows reads', async () => {
  const on = await stopped('exchange');
  for (const path of [ORDERS, WITHDRAWALS])
    for (const body of ['{not json', {}])
      expect(await codeOf(on.client, 'POST', path, body)).toBe('capability_disabled');
  expect(await codeOf(on.client, 'GET', `${ORDERS}/exo_none`)).toBe('not_found');
  expect(await codeOf(on.client, 'GET', `${WITHDRAWALS}/exw_none`)).toBe('not_found');
  expect((await on.client.call('GET', DESTINATIONS)).status).toBe(200);
  // A check is allowed, because it only asks the exchange.
  expect((await on.admin.call('POST', CHECK, { currency: 'EUR' })).status).toBe(200);
  expect((await on.admin.call('GET', BALANCE)).status).toBe(200);
  expect(await codeOf(on.client, 'GET', BALANCE)).toBe('forbidden');
  expect([await quoteCode(on), await canExchange(on)]).toEqual([undefined, true]);
});

it('an exchange that is left out refuses every request, and accounts still exchange', async () => {
  const on = await without({ exchange: 'off' });
  for (const [by, method, path] of [
    ...[ORDERS, WITHDRAWALS].map((path) => [on.client, 'POST', path] as const),
    ...[`${ORDERS}/exo_none`, `${WITHDRAWALS}/exw_none`].map((path) => [on.client, 'GET', path] as const),
    [on.client, 'GET', `${DESTINATIONS}?status=nonsense`],
    [on.admin, 'POST', CHECK],
    [on.admin, 'GET', BALANCE],
  ] as const)
    expect(await codeOf(by, method, path, method === 'GET' ? undefined : '{not json')).toBe(
      'capability_disabled',
    );
  expect([await quoteCode(on), await canExchange(on)]).toEqual([undefined, true]);
});

it('without rates accounts cannot exchange, and orders and withdrawals go on', async () => {
  const on = await without({ rates: 'off' });
  expect(await quoteCode(on)).toBe('capability_disabled');
  expect(await codeOf(on.client, 'GET', `${RATES}?from=nonsense`)).toBe('capability_disabled');
  expect([await orderStatus(on), await canExchange(on)]).toEqual([201, true]);
});

it('while rates are stopped, orders and withdrawals go on', async () => {
  const on = await stopped('rates');
  expect([await canExchange(on), await quoteCode(on)]).toEqual([true, 'capability_disabled']);
  expect(await orderStatus(on)).toBe(201);
});

it.each(['stopped', 'left out'] as const)(
  'while rates are stopped and the exchange is %s, the exchange capability is off',
  async (how) => {
    const on = await stopped('rates', how === 'left out' ? { exchange: 'off' } : {});
    if (how === 'stopped') await stop(on, 'exchange');
    // The first question already has the new state, not a cached one.
    expect(await canExchange(on)).toBe(false);
    expect([await quoteCode(on), await codeOf(on.client, 'POST', ORDERS, {})]).toEqual([
      ...['capability_disabled', 'capability_disabled'],
    ]);
  },
);

it('without rates and exchange, the exchange capability is off', async () => {
  const on = await without({ rates: 'off', exchange: 'off' });
  expect([await quoteCode(on), await codeOf(on.client, 'POST', ORDERS, {})]).toEqual([
    ...['capability_disabled', 'capability_disabled'],
  ]);
  expect(await canExchange(on)).toBe(false);
});

it('with rates of one currency only, the exchange capability is off', async () => {
  const on = await without({ exchange: 'off' });
  const { rates } = on.api.services.parties;
  const empty = { base: 'EUR', asOf: new Date(), rates: new Map() };
  on.api.services.parties.rates = { ...rates, snapshot: () => empty };
  expect(await canExchange(on)).toBe(false);
});

it('the OpenAPI document describes the refusal', async () => {
  const on = await without({});
  const { body } = await on.client.call('GET', '/openapi.json');
  for (const [path, method] of [
    ...[ORDERS, WITHDRAWALS, CHECK].map((each) => [each, 'post'] as const),
    ...[DESTINATIONS, RATES, BALANCE].map((each) => [each, 'get'] as const),
  ])
    expect(resolvedIn(body, body.paths[path][method].responses['403']).description).toContain(
      'capability_disabled',
    );
});
