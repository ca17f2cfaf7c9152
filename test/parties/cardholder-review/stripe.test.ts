import type { Application, CardholderReview } from '../../../src/parties/cardholder-review/port';
import { createStripeRegistry } from '../../../src/parties/cardholder-review/stripe/registry';
import { wordOf } from '../../../src/parties/cardholder-review/stripe/word';
import { namesOf } from '../../../src/parties/stripe/names';
import { OutcomeUnknown, PartyAway, UnreadableAnswer } from '../../../src/process/party-errors';
import { type TestDatabase, testDatabase } from '../../support/database';
import { SECRET, type StripeAccount, stripeAccount } from '../card-processor/stripe/account';

/** Stripe as the registry of cardholders. */

const NOW = new Date('2026-03-01T12:00:00Z');

let database: TestDatabase;
let account: StripeAccount;
let registry: CardholderReview;
beforeAll(async () => {
  database = await testDatabase(4);
});
beforeEach(async () => {
  account = await stripeAccount({ now: () => NOW });
  registry = createStripeRegistry({
    secretKey: 'sk_test_123',
    webhookSecrets: [SECRET],
    server: account.server,
    database: database.runtime,
    cityName: (region, code) => (region === 'AT' && code === '2761369' ? 'Vienna' : undefined),
    now: () => NOW,
  });
});
afterEach(() => account.close());
afterAll(() => database.drop());

const PERSON = {
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
};

let cardholders = 0;
function application(given: Partial<Application> = {}): Application {
  const cardholderId = `chd_${(cardholders += 1)}`;
  return {
    key: `submission-${cardholderId}-1`,
    cardholderId,
    bin: '44112201',
    person: { ...PERSON, email: `ada${cardholders}@example.com` },
    documents: [],
    callbackUrl: 'https://api.example/callbacks/cardholder-review',
    ...given,
  };
}

it('registers a person under our key, with what Stripe asks for', async () => {
  const given = application();
  expect(await registry.outcome(given.key)).toBe('unknown_to_party');
  expect(await registry.submit(given)).toEqual({ status: 'passed' });
  expect(await registry.outcome(given.key)).toEqual({ status: 'passed' });
  expect(account.requests.find(({ method }) => method === 'POST')).toMatchObject({
    path: '/v1/issuing/cardholders',
    key: given.key,
    fields: {
      type: 'individual',
      name: 'Ada Byron',
      email: given.person['email'],
      phone_number: '+436601234567',
      billing: { address: { line1: 'Ring 1', city: 'Vienna', country: 'AT', postal_code: '1010' } },
      individual: { first_name: 'Ada', last_name: 'Byron', dob: { year: '1990', month: '12', day: '10' } },
      metadata: { origin: 'cardwright', key: given.key, cardholder: given.cardholderId },
    },
  });
});

it('registers a person once, although the answer was lost and Stripe has forgotten the key', async () => {
  const given = application();
  await registry.submit(given);
  await database.database.query('delete from party_names');
  account.state.forgetsKeys = true;
  expect(await registry.submit(given)).toEqual({ status: 'passed' });
  expect(account.cardholders.size).toBe(1);
});

it('updates the person with the next application', async () => {
  const given = application();
  await registry.submit(given);
  const key = `submission-${given.cardholderId}-2`;
  await registry.submit({ ...given, key, person: { ...given.person, address: 'Ring 2' } });
  const [cardholder] = account.cardholders.values();
  expect(account.cardholders.size).toBe(1);
  expect(cardholder).toMatchObject({ billing: { address: { line1: 'Ring 2' } }, metadata: { key } });
  expect(await registry.outcome(key)).toEqual({ status: 'passed' });
});

it('registers a person with another name anew, and deactivates the former cardholder', async () => {
  const given = application();
  await registry.submit(given);
  const key = `submission-${given.cardholderId}-2`;
  await registry.submit({ ...given, key, person: { ...given.person, lastName: 'King' } });
  expect([...account.cardholders.values()].map(({ name, status }) => `${name} ${status}`)).toEqual([
    'Ada Byron inactive',
    'Ada King active',
  ]);
  expect(await registry.outcome(key)).toEqual({ status: 'passed' });
});

it('registers another name once, although the answer was lost and Stripe has forgotten the key', async () => {
  const given = application();
  await registry.submit(given);
  const former = [...account.cardholders.keys()];
  const renamed = {
    ...given,
    key: `submission-${given.cardholderId}-2`,
    person: { ...given.person, lastName: 'King' },
  };
  await registry.submit(renamed);
  await database.database.query('delete from party_names where name = $1', [renamed.key]);
  await namesOf(database.runtime, 'cardholderReview').keep([given.cardholderId], former[0] ?? '');
  account.state.forgetsKeys = true;
  expect(await registry.submit(renamed)).toEqual({ status: 'passed' });
  expect(account.cardholders.size).toBe(2);
  expect(await registry.outcome(renamed.key)).toEqual({ status: 'passed' });
});

it('shortens a name to what a card holds', async () => {
  const names = { firstName: 'Maximiliane', lastName: 'Abcdefghijklmnopqrstuvwxyz' };
  await registry.submit(application({ person: { ...PERSON, ...names } }));
  expect([...account.cardholders.values()][0]).toMatchObject({ name: 'M Abcdefghijklmnopqrstuv' });
});

it.each([
  ['address_missing', { ...PERSON, address: undefined }],
  ['city_unknown', { ...PERSON, town: '1' }],
  ['name_missing', { ...PERSON, firstName: '', lastName: '' }],
])('refuses a person with %s', async (code, person) => {
  const given = application({ person });
  await expect(registry.submit(given)).rejects.toMatchObject({ name: 'PartyRefused', code });
});

it('does not know what it did where Stripe does not answer', async () => {
  const given = application();
  await registry.submit(given);
  const next = { ...given, key: `${given.key}2` };
  account.state.breaks = 'writes';
  await expect(registry.submit(next)).rejects.toThrow(OutcomeUnknown);
  await expect(registry.submit(application())).rejects.toThrow(OutcomeUnknown);
  account.state.breaks = 'all';
  await expect(registry.submit(next)).rejects.toThrow(PartyAway);
  await expect(registry.outcome(given.key)).rejects.toThrow(PartyAway);
});

it('lists and names the last application of each person of ours', async () => {
  const given = application();
  await registry.submit(given);
  account.listed('issuing_cardholder.updated', { id: 'ich_stranger', metadata: {} }, {});
  const { changes } = await registry.changes(String(account.seconds() - 60));
  expect(changes.map(({ ref }) => ref)).toEqual([given.key]);
  const [created] = account.events;
  const { raw, headers } = account.signed(created ?? {});
  expect(registry.verify(raw, headers)).toEqual({ externalId: created?.['id'], ref: given.key });
  const forged = account.signed(created ?? {}, 'whsec_forged');
  expect(registry.verify(forged.raw, forged.headers)).toBeUndefined();
});

describe('the state of a review', () => {
  const stateOf = (status: string, disabled_reason: string | null = null, past_due: string[] | null = []) =>
    wordOf({ id: 'ich_1', status, requirements: { disabled_reason, past_due } });

  it.each([
    ['active', null, [], { status: 'passed' }],
    ['active', null, null, { status: 'passed' }],
    ['active', 'under_review', [], { status: 'processing' }],
    ['active', 'listed', [], { status: 'processing' }],
    ['active', 'rejected.listed', [], { status: 'rejected' }],
    ['blocked', null, [], { status: 'rejected' }],
    ['inactive', null, [], { status: 'rejected' }],
    ['active', 'of_tomorrow', [], { status: 'processing' }],
    [
      'active',
      'requirements.past_due',
      ['individual.dob.day', 'individual.verification.document'],
      { status: 'refused', reason: 'Missing: individual.dob.day, individual.verification.document.' },
    ],
    ['active', null, ['Ada Byron'], { status: 'refused', reason: 'Missing: a field.' }],
  ])('%s, %s, %j', (status, disabled, missing, word) => {
    expect(stateOf(status, disabled, missing)).toMatchObject(word);
  });

  it.each([null, {}, { id: 'ich_1', status: 'active' }, { id: 7 }])('cannot be read from %j', (given) => {
    expect(() => wordOf(given)).toThrow(UnreadableAnswer);
  });
});
