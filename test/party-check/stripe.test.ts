import { checkParty } from '../../scripts/party-check/conformance';
import { cardOrderBody, closureBody, tokenizationBody } from '../../src/parties/card-processor/protocol';
import { createStripeCardProcessor } from '../../src/parties/card-processor/stripe/processor';
import { applicationBody } from '../../src/parties/cardholder-review/protocol';
import { createStripeRegistry } from '../../src/parties/cardholder-review/stripe/registry';
import { SECRET, type StripeAccount, stripeAccount } from '../parties/card-processor/stripe/account';
import { type Bridged, serveBridge, withKey } from '../parties/protocol/bridge';
import { type TestDatabase, testDatabase } from '../support/database';
import { protocolOf } from './support';

/** The checks of a party, with the adapters of Stripe between the protocol and Stripe. */

const SHARED = Buffer.alloc(32, 7);

let database: TestDatabase;
let account: StripeAccount;
beforeAll(async () => {
  [database, account] = [await testDatabase(), await stripeAccount()];
});
afterAll(async () => {
  await account.close();
  await database.drop();
});

const optionsOf = () => ({
  secretKey: 'sk_test_123',
  webhookSecrets: [SECRET],
  server: account.server,
  database: database.runtime,
});

/** @returns the results that are not ok, where the party cannot call us back */
async function checked(party: string, routes: readonly Bridged[], order: Record<string, unknown>) {
  const bridge = await serveBridge(SHARED, routes);
  const results = await checkParty({
    protocol: protocolOf(party),
    baseUrl: bridge.url,
    secret: SHARED,
    patienceMs: 2_000,
    order,
  });
  await bridge.close();
  expect(results.filter(({ outcome }) => outcome === 'ok').length).toBeGreaterThan(10);
  return results.filter(({ outcome }) => outcome === 'FAILED').map(({ name, why }) => `${name}: ${why}`);
}

it('the card processor keeps its protocol', async () => {
  const processor = createStripeCardProcessor({
    ...optionsOf(),
    programmes: {
      '44112200': { currency: 'USD', type: 'virtual', shipping: 'standard', cardholder: 'ich_company' },
    },
  });
  const routes: Bridged[] = [
    {
      method: 'POST',
      path: /^\/cards$/,
      request: cardOrderBody,
      answer: ({ key, body }) => withKey(key, processor.issue({ key, ...body })),
    },
    {
      method: 'POST',
      path: /^\/cards\/([^/]+)\/closure$/,
      request: closureBody,
      answer: ({ names: [reference = ''], key, body }) =>
        withKey(key, processor.close({ key, reference, ...body })),
    },
    {
      method: 'POST',
      path: /^\/cards\/([^/]+)\/tokenizations$/,
      request: tokenizationBody,
      answer: ({ names: [reference = ''], key, body }) =>
        withKey(key, processor.tokenize({ key, reference, ...body })),
    },
    {
      method: 'GET',
      path: /^\/cards\/([^/]+)\/sensitive$/,
      answer: ({ names: [reference = ''] }) => processor.sensitive(reference),
    },
    {
      method: 'GET',
      path: /^\/cards\/([^/]+)$/,
      answer: ({ names: [key = ''] }) => withKey(key, processor.issuance(key)),
    },
    { method: 'GET', path: /^\/changes$/, answer: ({ after }) => processor.changes(after) },
  ];
  expect(await checked('card-processor', routes, {})).toEqual([]);
});

it('the cardholder review keeps its protocol', async () => {
  const registry = createStripeRegistry({ ...optionsOf(), cityName: () => 'Vienna' });
  const routes: Bridged[] = [
    {
      method: 'POST',
      path: /^\/applications$/,
      request: applicationBody,
      answer: ({ key, body }) => withKey(key, registry.submit({ key, ...body })),
    },
    {
      method: 'GET',
      path: /^\/applications\/([^/]+)$/,
      answer: ({ names: [key = ''] }) => withKey(key, registry.outcome(key)),
    },
    { method: 'GET', path: /^\/changes$/, answer: ({ after }) => registry.changes(after) },
  ];
  const person = {
    firstName: 'Ada',
    lastName: 'Lovelace',
    email: 'ada@example.com',
    birthday: '1990-12-10',
    country: 'AT',
    town: '2761369',
    address: 'Ring 1',
    postCode: '1010',
  };
  expect(await checked('cardholder-review', routes, { person })).toEqual([]);
});
