import { checkLedger } from '../../../src/kernel/ledger/check';
import { type Client, type TestApi, testApi } from '../../support/api';
import { fund, masterAccount } from '../../support/cards';
import { foldOf } from '../external-cards/support';
import { type PartyDouble, partyDouble, type SetPayout } from '../payouts/party-double';
import { internal, look, quote, SEPA, statusesTold, told } from '../payouts/support';
import { bankingPath, credited, DESTINATION, disabled, enabled, ibanBalance, paidOut } from './support';

/** The differences of payouts from virtual IBANs to payouts from accounts (test/transfers/payouts). */
let api: TestApi;
let client: Client;
let ibanId: string;
let party: PartyDouble;
beforeAll(async () => {
  api = await testApi();
});
beforeEach(async () => {
  party = await partyDouble(api);
  client = await api.client();
  ibanId = (await enabled(api, client)).id;
  await credited(api, ibanId, '5000.00');
});
afterEach(async () => {
  const [available = '', held = ''] = (await ibanBalance(client)).split(' ');
  expect(await foldOf(api, ibanId)).toBe((Number(available) + Number(held)).toFixed(2));
  await party.close();
  expect(await checkLedger(api.database)).toEqual([]);
});
afterAll(() => api.close());

/** Orders a payout, and makes steps after each state of the party. */
async function through(...states: SetPayout[]) {
  const payout = await paidOut(client, '100.00');
  await look(api, payout.id);
  for (const state of states) {
    party.set(payout.id, state);
    await Promise.all([look(api, payout.id), look(api, payout.id)]);
  }
  return payout;
}

const GONE = '4899.50 0.00';

it('a payout is ordered under its id, by SEPA', async () => {
  const { id } = await through();
  expect(party.payment(id)).toMatchObject({
    key: id,
    order: {
      method: 'sepa',
      amount: '100',
      currency: 'EUR',
      destination: DESTINATION,
      callbackUrl: `${api.url}/callbacks/iban-payouts`,
    },
  });
  party.set(id, { status: 'completed' });
  const looks = () => api.commands.filter(({ workflowId }) => workflowId === `iban-payout-${id}`).length;
  const before = looks();
  expect(await party.tell(api, id, { path: '/callbacks/iban-payouts' })).toBe(200);
  expect(looks() - before).toBe(1);
  await look(api, id);
  expect(await statusesTold(api, id)).toEqual([
    ...['created → processing', 'processing → sent', 'sent → completed'],
  ]);
});

it.each<[string, SetPayout[], string, string, string[]]>([
  [
    'returned, then completed',
    [{ status: 'completed' }, { status: 'returned' }, { status: 'completed' }],
    ...(['completed', GONE] as const),
    ['deposit/payout_returned 100.00', 'withdraw/payout_returned_reversed 100.00'],
  ],
  [
    'sent, failed, then completed',
    [{ status: 'sent' }, { status: 'failed' }, { status: 'completed' }],
    ...(['completed', GONE] as const),
    [
      ...['deposit/iban_payout_reversed 100.00', 'deposit/iban_fee_reversed 0.50'],
      ...['withdraw/iban_payout 100.00', 'fee/iban_fee 0.50'],
    ],
  ],
  [
    'returned in parts',
    [
      { status: 'returned', returns: { a: '60.00' } },
      { status: 'returned', returns: { a: '60.00', b: '40.00' } },
    ],
    ...(['returned', '4999.50 0.00'] as const),
    ['deposit/payout_returned 60.00', 'deposit/payout_returned 40.00'],
  ],
  ['failed, then sent', [{ status: 'failed' }, { status: 'sent' }], ...(['sent', GONE] as const), []],
])('books and status follow the party: %s', async (_, states, status, balance, further) => {
  const { id, show } = await through(...states);
  expect([(await show()).status, await ibanBalance(client)]).toEqual([status, balance]);
  const kept = status === 'returned' ? '0.00' : '100.00';
  expect(await internal(api, 'payouts:EUR', id)).toBe(kept);
  const events = await told(api, id);
  expect(events.slice(0, 2)).toEqual(['withdraw/iban_payout 100.00', 'fee/iban_fee 0.50']);
  expect(events.slice(2).sort()).toEqual([...further].sort());
});

it.each([
  ['The account of Ada Byron is closed', 'failed', 'failed'],
  ['account_closed', 'failed', 'account_closed'],
  ['Ada Byron has moved', 'returned', 'returned'],
  [undefined, 'returned', 'returned'],
] as const)(
  'with the party’s reason %s for %s, the company reads %s',
  async (failureCode, status, expected) => {
    const { show } = await through({ status, failureCode });
    expect((await show()).failure).toBe(expected);
  },
);

it('a payout does not fail by a key in progress or a wrong address', async () => {
  const { id, show } = await paidOut(client, '100.00');
  party.orders = ['in-progress-409', 'not-found-404'];
  for (const name of ['OutcomeUnknown', 'PartyAway'])
    await expect(look(api, id)).rejects.toMatchObject({ name });
  expect((await show()).status).toBe('processing');
  expect(await look(api, id)).toBe('processing');
  expect(party.payments).toHaveLength(1);
});

it('a return to a disabled IBAN is credited to it', async () => {
  const { id } = await through({ status: 'completed' });
  await disabled(api, client);
  party.set(id, { status: 'returned' });
  expect(await look(api, id)).toBe('returned');
  await enabled(api, client);
  expect(await ibanBalance(client)).toBe('4999.50 0.00');
});

it('company and admin can use the same key on an account and on a virtual IBAN', async () => {
  const [admin, accountId] = [await api.client('admin'), await masterAccount(client, 'EUR')];
  await fund(api, accountId, '5000.00');
  const key = { 'x-idempotency-key': 'the same' };
  const made: string[] = [];
  for (const caller of [client, admin]) {
    const { quoteId } = (await quote(client, accountId)).body;
    const body = { quoteId, destination: SEPA };
    made.push((await caller.call('POST', `/v2/accounts/${accountId}/payouts`, body, key)).body.id);
    const path = bankingPath(client);
    const asked = { amount: '10.00', destination: DESTINATION };
    const quoted = (await caller.call('POST', `${path}/quote`, asked)).body;
    made.push((await caller.call('POST', `${path}/payouts`, { quoteId: quoted.quoteId }, key)).body.id);
  }
  expect(new Set(made.filter(Boolean)).size).toBe(4);
  expect(await ibanBalance(client)).toBe('4979.00 21.00');
});
