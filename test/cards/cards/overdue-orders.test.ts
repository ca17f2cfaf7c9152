import { createHousekeepingActivities } from '../../../activities/housekeeping';
import { closeAtProcessor } from '../../../src/cards/orders/closure';
import { orderCard } from '../../../src/cards/orders/issuance';
import { checkLedger } from '../../../src/kernel/ledger/check';
import { OutcomeUnknown, PartyRefused } from '../../../src/process/party-errors';
import { type Client, DECIDED_AT_ONCE, type TestApi, testApi } from '../../support/api';
import { cardBalance, cardholder, DEMO_BIN, fund } from '../../support/cards';
import { command, operatorEnvironment, setAdminLimit } from '../../support/operator';
import { accountBalance, issuedCard, requestedCard, whileProcessor } from './support';

/** A card order that the processor refuses or never answers opens a break after a day, and an operator concludes it. */

let api: TestApi;
let client: Client;
let operator: Record<string, string>;
beforeAll(async () => {
  api = await testApi(DECIDED_AT_ONCE);
  operator = await operatorEnvironment(api.database, 'ida');
});
beforeEach(async () => {
  client = await api.client();
});
afterEach(async () => expect(await checkLedger(api.database)).toEqual([]));
afterAll(() => api.close());

const HOUR_MS = 3_600_000;

/** Runs the hourly schedule some hours from now. */
const runAfter = (hours: number) =>
  createHousekeepingActivities({
    ...api.services,
    now: () => new Date(Date.now() + hours * HOUR_MS),
  }).showOverdueCardOrders();

const openBreaks = async (subject: string) =>
  (
    await api.database.query<Record<string, string>>(
      'select kind, detail, amount, currency from breaks where subject = $1 and resolved_at is null',
      [subject],
    )
  ).map(({ kind, detail, amount, currency }) => `${kind} ${detail} ${Number(amount)} ${currency}`);

async function bufferedOperation(label?: string) {
  const { userId, accountId, cardholderId } = await cardholder(client);
  await fund(api, accountId, '200.00');
  const asked = { userId, accountId, cardholderId, bin: DEMO_BIN, amount: '100.00', allocation: '0.25' };
  const { quoteId } = (await client.call('POST', '/v2/cards/issue/quote', asked)).body;
  const key = { 'x-idempotency-key': quoteId };
  const { body } = await client.call('POST', '/v2/cards', { quoteId, ...(label ? { label } : {}) }, key);
  return { id: body.cardId as string, operationId: body.operationId as string, accountId };
}

const operation = async (id: string) => (await client.call('GET', `/v2/cards/operations/${id}`)).body;
const conclude = (id: string, as: string, ...more: string[]) =>
  command(operator, 'card-order', 'conclude', id, '--as', as, '--reason', 'the letter of 3 May', ...more);

it('shows an unanswered issuance after a day, with the held money, and closes the break when it is answered', async () => {
  const { id } = await requestedCard(api, client, { amount: '50.00' });
  const lost = () => Promise.reject(new OutcomeUnknown());
  expect(await whileProcessor(api, { issue: lost }, () => orderCard(api.services, id))).toBe('unknown');
  await runAfter(23);
  expect(await openBreaks(id)).toEqual([]);
  await runAfter(25);
  await runAfter(26);
  expect(await openBreaks(id)).toEqual([`card_order_overdue issue-${id} 51 USD`]);
  expect(await orderCard(api.services, id)).toBe('active');
  await runAfter(27);
  expect(await openBreaks(id)).toEqual([]);
});

it('shows a closure that the processor refuses, of v1 and of v2', async () => {
  const [atOnce, buffered] = [await issuedCard(api, client, { amount: '50.00' }), await bufferedOperation()];
  await orderCard(api.services, buffered.id);
  await client.call('DELETE', `/v1/cards/${atOnce.id}`);
  await client.call('DELETE', `/v2/cards/${buffered.id}`);
  const refused = () => Promise.reject(new PartyRefused('card_disputed'));
  for (const { id } of [atOnce, buffered])
    await expect(
      whileProcessor(api, { close: refused }, () => closeAtProcessor(api.services, id)),
    ).rejects.toThrow(PartyRefused);
  await runAfter(25);
  expect(await openBreaks(atOnce.id)).toEqual([`card_order_overdue close-${atOnce.id} 0 USD`]);
  expect(await openBreaks(buffered.id)).toEqual([`card_order_overdue close-${buffered.id} 100 USD`]);
});

it('leaves a break that an operator has resolved', async () => {
  const { id } = await requestedCard(api, client);
  await runAfter(25);
  await api.database.query(
    `update breaks set resolved_at = now() + interval '1 hour', resolved_by = 'operator:ida', note = 'known' where subject = $1`,
    [id],
  );
  await runAfter(26);
  expect(await openBreaks(id)).toEqual([]);
});

it('concludes an issuance as failed: releases its hold, and shows a later issuance by the processor', async () => {
  const { id, operationId, accountId } = await bufferedOperation('sandbox:slow');
  expect(await orderCard(api.services, id)).toBe('processing');
  expect(await accountBalance(client, accountId)).toBe('99.00 101.00');
  await runAfter(25);
  const done = await conclude(id, 'failed', '--json');
  expect([done.code, JSON.parse(done.out)]).toEqual([0, { cardId: id, status: 'failed' }]);
  expect(await accountBalance(client, accountId)).toBe('200.00 0.00');
  expect(await operation(operationId)).toMatchObject({
    status: 'failed',
    failure: { code: 'concluded_failed' },
  });
  expect(await openBreaks(id)).toEqual([]);
  const [entry] = await api.database.query('select actor, action, after from audit_log where subject = $1', [
    id,
  ]);
  expect(entry).toMatchObject({
    actor: 'operator:ida',
    action: 'card-order.conclude',
    after: { as: 'failed', reason: 'the letter of 3 May' },
  });
  const terms = { reference: 'late', last4: '4242', expiryMonth: 1, expiryYear: 2031 };
  const issued = { status: 'issued' as const, ...terms };
  const late = { issuance: () => Promise.resolve(issued) };
  expect(await whileProcessor(api, late, () => orderCard(api.services, id))).toBe('failed');
  const [contradicted] = await api.database.query(
    'select kind from breaks where subject = $1 and resolved_at is null',
    [id],
  );
  expect(contradicted).toEqual({ kind: 'card_order_contradicted' });
});

it('concludes a closure as closed: returns principal and buffer, and asks the processor no more', async () => {
  const { id, accountId } = await bufferedOperation();
  await orderCard(api.services, id);
  const { operationId } = (await client.call('DELETE', `/v2/cards/${id}`)).body;
  const done = await conclude(id, 'closed');
  expect([done.code, done.out]).toEqual([0, `${id} is closed.`]);
  expect(await cardBalance(client, id)).toBe('0.00 0.00 0.00');
  expect(await accountBalance(client, accountId)).toBe('199.00 0.00');
  expect(await operation(operationId)).toMatchObject({ status: 'completed' });
  expect(await closeAtProcessor(api.services, id)).toBe('confirmed');
});

it('refuses to conclude when no such order is open', async () => {
  const pending = await requestedCard(api, client);
  const active = await issuedCard(api, client);
  for (const [id, as] of [
    [pending.id, 'closed'],
    [active.id, 'failed'],
    [active.id, 'closed'],
  ] as const) {
    const { code, err } = await conclude(id, as, '--json');
    expect([code, JSON.parse(err).code]).toEqual([4, 'invalid_transition']);
  }
  expect((await conclude(pending.id, 'paid')).code).toBe(2);
});

it('requires a second operator above the limit of the installation', async () => {
  const { id, accountId } = await bufferedOperation();
  await setAdminLimit(api.database, '50');
  const { code, out } = await conclude(id, 'failed', '--json');
  await setAdminLimit(api.database, '1000000');
  expect([code, Object.keys(JSON.parse(out))]).toEqual([0, ['approval']]);
  expect(await accountBalance(client, accountId)).toBe('99.00 101.00');
});
