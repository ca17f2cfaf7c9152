import { EVENT_DOCUMENTS } from '../../../src/composition';
import { newId } from '../../../src/kernel/ids';
import { ACCOUNT_EFFECTS, CARD_EFFECTS, type Effect } from '../../../src/kernel/ledger/effects';
import { Decimal } from '../../../src/kernel/money/money';
import { appendEvents, REGISTRATIONS } from '../../../src/kernel/outbox/events';
import { statusEvent } from '../../../src/kernel/outbox/status-event';
import { type Client, type TestApi, testApi } from '../../support/api';
import { activeCard, cardBalance, fund, simulate, type TestCard } from '../../support/cards';
import { documentedEvents } from '../../support/documented-events';

let api: TestApi;
let client: Client;
let card: TestCard;
beforeAll(async () => {
  api = await testApi();
});
beforeEach(async () => {
  client = await api.client();
  card = await activeCard(api, client, '100.00');
  await fund(api, card.accountId, '50.00');
});
afterAll(() => api.close());

/** The data of the tenant's events of a kind, oldest first, as the API lists them. */
async function told(event: string): Promise<any[]> {
  const { body } = await client.call('GET', '/v1/events?limit=100');
  return body.data
    .filter((one: { event: string }) => one.event === event)
    .map((one: { body: { data: object } }) => one.body.data)
    .reverse();
}

async function live(): Promise<void> {
  const act = (message: object) => simulate(client, { cardId: card.id, ...message });
  const { body } = await act({ type: 'authorization', amount: '60.00', merchant: { name: 'Shop' } });
  const { referenceId } = body;
  await act({ type: 'settle', amount: '20.00', referenceId });
  await act({ type: 'settle', amount: '30.00', final: true, referenceId });
  await act({ type: 'refund', amount: '5.00', referenceId });
  await act({ type: 'authorization', amount: '999.00' });
  await act({ type: 'settle', amount: '90.00' });
  await client.call('POST', `/v1/cards/${card.id}/freeze`);
}

const BALANCES = ['available', 'pending', 'spent'] as const;
const sumOf = (data: any[], balance: (typeof BALANCES)[number]) =>
  data.reduce((sum, { effect }) => sum.plus(effect[balance]), new Decimal(0)) as Decimal;

it('states the effect of each card event, which the table of 3.4 gives, and the balance after it', async () => {
  await live();
  const data = await told('card_transaction');
  expect(data.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['issue', 'authorization', 'settle', 'cancel', 'refund', 'decline', 'freeze']),
  );
  const running = { available: new Decimal(0), pending: new Decimal(0), spent: new Decimal(0) };
  for (const { type, billingAmount, effect, balanceAfter } of data) {
    const factors = (CARD_EFFECTS as Record<string, Effect>)[type]!;
    for (const balance of BALANCES) {
      expect(effect[balance]).toBe(new Decimal(billingAmount).times(factors[balance]).plus(0).toFixed(2));
      running[balance] = running[balance].plus(effect[balance]);
      expect(balanceAfter[balance]).toBe(running[balance].toFixed(2));
    }
  }
  expect(await cardBalance(client, card.id)).toBe(
    BALANCES.map((name) => sumOf(data, name).toFixed(2)).join(' '),
  );
});

it('states the effect of each account event, and the available balance after it', async () => {
  await live();
  const data = (await told('account_transaction')).filter(({ accountId }) => accountId === card.accountId);
  for (const { type, subtype, amount, effect } of data) {
    const factors = (ACCOUNT_EFFECTS as Record<string, Effect>)[`${type}/${subtype}`]!;
    for (const balance of BALANCES)
      expect(effect[balance]).toBe(new Decimal(amount).times(factors[balance]).plus(0).toFixed(2));
  }
  const account = (await client.call('GET', `/v2/accounts/${card.accountId}/balance`)).body;
  const held = new Decimal(account.available).plus(account.pending);
  expect(sumOf(data, 'available').plus(sumOf(data, 'pending')).toFixed(2)).toBe(held.toFixed(2));
  const history = (await client.call('GET', `/v1/accounts/${card.accountId}/transactions?limit=100`)).body
    .data;
  const shown = new Map(history.map((one: any) => [one.id, one.balanceAfter]));
  for (const { id, balanceAfter } of data) expect(balanceAfter).toBe(shown.get(id));
});

it('leaves the fields of the contract as they were, and adds the new ones at the end', async () => {
  await live();
  const fields = async (event: string) => Object.keys((await told(event)).at(1) ?? {});
  const [authorization] = (await told('card_transaction')).filter(({ type }) => type === 'authorization');
  expect(Object.keys(authorization)).toEqual([
    ...['id', 'cardId', 'transactionAmount', 'transactionCurrency', 'billingAmount', 'billingCurrency'],
    ...['type', 'referenceId', 'merchant', 'timestamp', 'effect', 'balanceAfter'],
  ]);
  expect(await fields('account_transaction')).toEqual([
    ...['id', 'accountId', 'type', 'subtype', 'amount', 'currency', 'referenceId', 'timestamp'],
    ...['effect', 'balanceAfter'],
  ]);
});

it('describes every recorded event in the OpenAPI document', async () => {
  await live();
  await client.call('POST', '/v1/client/secret/rotate', {});
  const change = {
    recordId: newId('payout'),
    tenantId: client.clientId,
    accountId: card.accountId,
    status: 'failed',
    previousStatus: 'processing',
    failure: 'rejected',
    at: new Date(),
    idempotencyKey: null,
  };
  await api.database.transaction((tx) =>
    appendEvents(tx, [statusEvent(change, 'payout'), statusEvent({ ...change, failure: null }, 'transfer')]),
  );
  expect(await documentedEvents(api)).toEqual([
    'account_transaction',
    'card_transaction',
    'cardholder.status_changed',
    'client.secret_rotated',
    'payout.status_changed',
    'transfer.status_changed',
  ]);
});

it('serves the description of each event with its headers', async () => {
  const { webhooks } = (await api.call('GET', '/openapi.json')).body;
  expect(Object.keys(webhooks)).toEqual(EVENT_DOCUMENTS.map(({ event }) => event));
  expect(new Set(EVENT_DOCUMENTS.map(({ type }) => type))).toEqual(new Set(REGISTRATIONS));
  for (const { post } of Object.values<any>(webhooks)) {
    const headers = post.parameters.map(({ name }: { name: string }) => name);
    expect(headers).toEqual([
      ...['x-client-id', 'x-signature', 'webhook-id', 'webhook-timestamp', 'webhook-signature'],
      'x-idempotency-key',
    ]);
    expect(post.description).toMatch(/Registration type[^]*Retries[^]*12 h/);
  }
});
