import { closeAtProcessor } from '../../../src/cards/orders/closure';
import { orderCard } from '../../../src/cards/orders/issuance';
import { SIGNATURE_HEADER, signMessage } from '../../../src/parties/protocol/signature';
import { partySecret } from '../../../src/parties/sandbox/mount';
import { type Client, type TestApi, testApi } from '../../support/api';
import { until } from '../../support/until';
import { requestedCard } from './support';

/** Callbacks of the card processor wake the workflow of the order and do nothing else. */

let api: TestApi;
let client: Client;
const clock = { at: new Date() };
beforeAll(async () => {
  api = await testApi({ now: () => clock.at });
  client = await api.client();
});
afterAll(() => api.close());

const later = (seconds: number) => {
  clock.at = new Date(clock.at.getTime() + seconds * 1000);
};
const looks = (workflowId: string) =>
  api.commands.filter((command) => command.workflowId === workflowId && command.action === 'look').length;

let messages = 0;
/** Sends a callback of the processor. @returns its status and its outcome */
async function call(key: string, secret = partySecret(api.services.keyring, 'card-processor')) {
  const id = `message-${(messages += 1)}`;
  const raw = Buffer.from(JSON.stringify({ id, key }));
  const headers = { [SIGNATURE_HEADER]: signMessage(raw, secret, clock.at) };
  const { status } = await api.call('POST', '/callbacks/card-processor', raw, headers);
  const [row] = await api.database.query<{ outcome: string }>(
    'select outcome from provider_callbacks where external_id = $1',
    [id],
  );
  return [status, row?.outcome];
}

it('wakes the workflow of an issuance when the processor has decided', async () => {
  const { id } = await requestedCard(api, client, { label: 'sandbox:slow' });
  expect(await orderCard(api.services, id)).toBe('processing');
  expect(looks(`card-issuance-${id}`)).toBe(0);
  later(20);
  await until(() => looks(`card-issuance-${id}`) === 1);
  expect(await orderCard(api.services, id)).toBe('active');
});

it('wakes the workflow of a closure when it is confirmed', async () => {
  const { id } = await requestedCard(api, client, { label: 'sandbox:close-slow' });
  await orderCard(api.services, id);
  later(1);
  await orderCard(api.services, id);
  await client.call('DELETE', `/v1/cards/${id}`);
  expect(await closeAtProcessor(api.services, id)).toBe('processing');
  later(30);
  await until(() => looks(`card-closure-${id}`) === 1);
  expect(await closeAtProcessor(api.services, id)).toBe('confirmed');
});

it('makes the workflow ask the processor, also about an order that has ended', async () => {
  const card = await requestedCard(api, client);
  expect(await call(`issue-${card.id}`)).toEqual([200, 'told']);
  expect(looks(`card-issuance-${card.id}`)).toBe(1);
  await orderCard(api.services, card.id);
  later(1);
  expect(await orderCard(api.services, card.id)).toBe('active');
  const before = looks(`card-issuance-${card.id}`);
  expect(await call(`issue-${card.id}`)).toEqual([200, 'told']);
  expect(looks(`card-issuance-${card.id}`)).toBe(before + 1);
  const asked = await client.call('POST', `/v1/cards/${card.id}/tokenize`, { wallet: 'apple_pay' });
  expect(await call(`tokenize-${asked.body.id}`)).toEqual([200, 'told']);
  expect(looks(`card-tokenization-${asked.body.id}`)).toBe(1);
  await client.call('DELETE', `/v1/cards/${card.id}`);
  expect(await call(`close-${card.id}`)).toEqual([200, 'told']);
});

it('is stored and changes nothing when the order is unknown', async () => {
  // The processor still calls back for orders of the tests above, whose workflows exist.
  const ours = new Set(api.commands.map(({ workflowId }) => workflowId));
  for (const key of ['issue-', 'issue-card_x', 'close-chd_1', 'tokenize-tkn_x', 'payout-1'])
    expect(await call(key)).toEqual([200, 'unknown']);
  expect(api.commands.filter(({ workflowId }) => !ours.has(workflowId))).toEqual([]);
});

it('is refused without the processor’s signature', async () => {
  const { id } = await requestedCard(api, client);
  expect(await call(`issue-${id}`, Buffer.alloc(32))).toEqual([401, undefined]);
  const ofAnother = partySecret(api.services.keyring, 'cardholder-review');
  expect(await call(`issue-${id}`, ofAnother)).toEqual([401, undefined]);
  expect(looks(`card-issuance-${id}`)).toBe(0);
});
