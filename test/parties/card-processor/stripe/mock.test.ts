/** @long starts Stripe's own mock, which checks requests by the published description. */
import { createStripeCardProcessor } from '../../../../src/parties/card-processor/stripe/processor';
import { createStripeRegistry } from '../../../../src/parties/cardholder-review/stripe/registry';
import { type TestDatabase, testDatabase } from '../../../support/database';
import { type StripeMock, startStripeMock, stripeMockExecutable } from '../../../support/outside/stripe-mock';
import { SECRET } from './account';

let executable: string | undefined;
let mock: StripeMock;
let database: TestDatabase;
beforeAll(async () => {
  executable = await stripeMockExecutable().catch((error: Error) => {
    console.warn(`SKIPPED, requests to Stripe Issuing are not checked: ${error.message}`);
    return undefined;
  });
  if (!executable) return;
  [mock, database] = [await startStripeMock(executable), await testDatabase(4)];
}, 900_000);
afterAll(async () => {
  if (!executable) return;
  await mock.close();
  await database.drop();
});

/** A test that is skipped with a warning when stripe-mock is missing. */
const check = (name: string, work: () => Promise<void>) =>
  it(name, async () => {
    if (executable) await work();
    else console.warn(`SKIPPED: ${name}`);
  });

const optionsOf = () => ({
  secretKey: 'sk_test_123',
  webhookSecrets: [SECRET],
  server: { host: '127.0.0.1', port: mock.port, protocol: 'http' as const },
  database: database.runtime,
});

const processor = () =>
  createStripeCardProcessor({
    ...optionsOf(),
    programmes: {
      '44112200': { currency: 'USD', type: 'virtual', shipping: 'standard', cardholder: 'ich_1' },
      '44112201': {
        currency: 'USD',
        type: 'physical',
        shipping: 'express',
        personalizationDesign: 'ics_1',
        cardholder: 'ich_1',
      },
    },
  });

const CALLBACKS = { callbackUrl: 'https://api.example/callbacks' };

check('cards are made, read and closed by requests that the API knows', async () => {
  const order = { currency: 'USD', cardholderId: 'chd_1', label: null, ...CALLBACKS };
  for (const bin of ['44112200', '44112201']) {
    const key = `issue-card_${bin}`;
    expect(await processor().issue({ key, bin, ...order })).toMatchObject({ status: 'issued' });
    expect(await processor().issuance(key)).toMatchObject({ status: 'issued' });
  }
  const closure = { key: 'close-card_1', reference: 'ic_1', ...CALLBACKS };
  expect(await processor().close(closure)).toMatchObject({ status: expect.any(String) });
  expect(await processor().closure(closure)).toBeDefined();
});

check('events and balances are read by requests that the API knows', async () => {
  const after = String(Math.floor(Date.now() / 1000) - 60);
  expect(await processor().changes(after)).toMatchObject({ more: false });
  expect(await processor().balances?.()).toMatchObject({ balances: expect.any(Array) });
});

check('a cardholder is registered, updated and read by requests that the API knows', async () => {
  const registry = createStripeRegistry({ ...optionsOf(), cityName: () => 'Vienna' });
  const application = {
    key: 'submission-chd_1-1',
    cardholderId: 'chd_1',
    bin: '44112201',
    person: {
      firstName: 'Ada',
      lastName: 'Byron',
      email: 'ada@example.com',
      phone: '6601234567',
      phoneCode: '+43',
      birthday: '1990-12-10',
      country: 'AT',
      town: '2761369',
      address: 'Ring 1',
      postCode: '1010',
    },
    documents: [],
    ...CALLBACKS,
  };
  // The mock answers with a cardholder of another name, so the second application is a new one.
  for (const key of ['submission-chd_1-1', 'submission-chd_1-2'])
    expect(await registry.submit({ ...application, key })).toMatchObject({ status: expect.any(String) });
  expect(await registry.outcome('submission-chd_1-2')).toMatchObject({ status: expect.any(String) });
});
