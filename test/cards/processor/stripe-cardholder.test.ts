import { orderCard } from '../../../src/cards/orders/issuance';
import { checkLedger } from '../../../src/kernel/ledger/check';
import { createStripeRegistry } from '../../../src/parties/cardholder-review/stripe/registry';
import { createReading } from '../../../src/watch/watch';
import { SECRET } from '../../parties/card-processor/stripe/account';
import { B2C_USD, decide, pending, read, statusOf, steps } from '../../people/cardholders/support';
import type { Client } from '../../support/api';
import { fund } from '../../support/cards';
import { apiWithStripe } from './stripe-support';

/** A person of a B2C BIN, registered and reviewed by Stripe, who then gets a card there. */

let api: Awaited<ReturnType<typeof apiWithStripe>>;
let client: Client;
beforeAll(async () => {
  api = await apiWithStripe({ [B2C_USD]: { currency: 'USD', type: 'virtual', shipping: 'standard' } });
  const { reference } = api.services;
  api.services.parties.cardholderReview = createStripeRegistry({
    secretKey: 'sk_test_123',
    webhookSecrets: [SECRET],
    server: api.account.server,
    database: api.services.database,
    cityName: (region, code) => reference.cities(region).find((city) => city.code === code)?.name,
  });
  client = await api.client();
});
afterEach(async () => expect(await checkLedger(api.database)).toEqual([]));
afterAll(() => api.close());

async function submitted() {
  const holder = await pending(api, client);
  await decide(api, holder.id, 'approved');
  await steps(api.services).submit(holder.id);
  return holder;
}

const registeredLast = () => [...api.account.cardholders.values()].at(-1) ?? {};

it('passes the review, and gets a card of the own cardholder', async () => {
  const { id: cardholderId, userId, accountId } = await submitted();
  expect(await statusOf(client, cardholderId)).toBe('pass_audit');
  expect(registeredLast()).toMatchObject({
    name: 'Philippa Wrexham',
    metadata: { cardholder: cardholderId },
  });
  await fund(api, accountId, '100.00');
  const asked = await client.call('POST', '/v1/cards', { userId, accountId, cardholderId, amount: '10.00' });
  expect(await orderCard(api.services, asked.body.id)).toBe('active');
  const [card] = [...api.account.cards.values()].slice(-1);
  expect(card?.['cardholder']).toMatchObject({ id: registeredLast()['id'] });
});

it('is told which data Stripe misses, and is updated by the next submission', async () => {
  const missing = { disabled_reason: 'requirements.past_due', past_due: ['individual.dob.day'] };
  api.account.state.requirements = missing;
  const { id } = await submitted();
  api.account.state.requirements = undefined;
  expect(await read(client, id)).toMatchObject({
    status: 'submission_failed',
    description: 'Missing: individual.dob.day.',
  });
  const registered = registeredLast();
  registered['requirements'] = { disabled_reason: null, past_due: [] };
  expect((await client.call('POST', `/v1/cardholders/${id}/retry`)).status).toBe(200);
  await steps(api.services).submit(id);
  expect(await statusOf(client, id)).toBe('pass_audit');
  expect(registeredLast()['id']).toBe(registered['id']);
});

it('passes later when Stripe ends its own review, which the list of events tells', async () => {
  api.account.state.requirements = { disabled_reason: 'under_review', past_due: [] };
  const { id } = await submitted();
  api.account.state.requirements = undefined;
  expect(await statusOf(client, id)).toBe('wait_audit');
  const registered = registeredLast();
  registered['requirements'] = { disabled_reason: null, past_due: [] };
  api.account.listed('issuing_cardholder.updated', registered, {});
  const before = api.commands.length;
  const reading = createReading(api.services, 'cardholderReview');
  for (let turn = 0; turn < 3; turn += 1) await reading.read();
  expect(api.commands.slice(before).map(({ args }) => args[0])).toContain(id);
  await steps(api.services).submit(id);
  expect(await statusOf(client, id)).toBe('pass_audit');
});
