import { checkLedger } from '../../../src/kernel/ledger/check';
import { createKeyring } from '../../../src/kernel/security/keyring';
import { adoptTransfer } from '../../../src/transfers/conclude';
import { ibanPayoutKind } from '../../../src/transfers/iban/payouts/kind';
import { ibanPayoutView } from '../../../src/transfers/iban/view';
import { requirePayout } from '../../../src/transfers/payouts/create';
import { payoutKind } from '../../../src/transfers/payouts/kind';
import { payoutView } from '../../../src/transfers/payouts/view';
import { type TestApi, testApi } from '../../support/api';
import { type DoublePayout, type PartyDouble, partyDouble } from '../payouts/party-double';
import { look } from '../payouts/support';
import { type Earlier, upgraded } from './support';

/**
 * The upgrade of a database in which the release before the transfer engine has payouts of both kinds in every state. The
 * rows are that release's own; `party` is where its party had each, `view` what its API showed.
 */
interface Known {
  cases: Record<string, { id: string; view: Record<string, any>; party?: Omit<DoublePayout, 'version'> }>;
  balances: { id: string; available: string; pending: string }[];
}

let earlier: Earlier<Known>;
let api: TestApi;
let party: PartyDouble;

beforeAll(async () => {
  earlier = await upgraded<Known>('payouts.jsonl');
  ({ cases } = earlier.header);
  const { database } = earlier;
  api = await testApi({ keyring: createKeyring(Buffer.alloc(32, 5)) }, () => database);
  party = await partyDouble(api);
  for (const { party: known } of Object.values(cases))
    if (known) party.payments.push({ ...known, version: 1 });
});
afterAll(async () => {
  await party.close();
  await api.close();
  await earlier.drop();
});

let cases: Known['cases'];
const idOf = (label: string) => cases[label]?.id as string;

async function viewOf(id: string): Promise<Record<string, any>> {
  const [row] = await api.services.database.query<{ account_id: string; tenant_id: string }>(
    'select account_id, tenant_id from transfers where id = $1',
    [id],
  );
  const { account_id: accountId = '', tenant_id: reach = '' } = row ?? {};
  const wanted = { id, accountId, reach };
  const shown = id.startsWith('ibp_')
    ? ibanPayoutView(await requirePayout(api.services, ibanPayoutKind, wanted))
    : payoutView(await requirePayout(api.services, payoutKind, wanted));
  return JSON.parse(JSON.stringify(shown)) as Record<string, any>;
}

const adopted = async (id: string) =>
  (await api.services.database.query('select adopted from transfers where id = $1', [id]))[0]?.['adopted'];

const balances = () =>
  api.services.database.query(
    `select id, available::text, pending::text from ledger_accounts where kind <> 'internal' order by id`,
  );

/** What the earlier engines had booked otherwise than the party's word says: a person adopts these. */
const UNEVEN = [
  'returned in part, then more', // only its first part was credited
  'returned, then completed', // stood in suspense
];

it('shows each payout as before, but for a reason that was no code', async () => {
  for (const [label, { id, view }] of Object.entries(cases)) {
    const failure = label === 'iban failed' ? { failure: 'failed' } : {};
    const { returnedAmount: was, ...before } = view;
    const { returnedAmount: now, ...after } = await viewOf(id);
    expect([label, after]).toEqual([label, { ...before, ...failure }]);
    if (!UNEVEN.includes(label)) expect([label, now]).toEqual([label, was]);
  }
  expect(await balances()).toEqual(earlier.header.balances);
});

it('takes over those whose books are what they should be at the first look, and no others', async () => {
  const uneven: string[] = [];
  for (const [label, { id }] of Object.entries(cases)) {
    await look(api, id);
    if (!(await adopted(id))) uneven.push(label);
  }
  expect(uneven).toEqual(UNEVEN);
  expect(await checkLedger(api.services.database)).toEqual([]);
});

it('then follows the party', async () => {
  const status = async (label: string) => (await viewOf(idOf(label)))['status'] as string;
  expect(await status('created')).toBe('processing');
  expect(await status('created above the threshold')).toBe('pending_approval');
  expect(await status('pending')).toBe('pending_approval');
  expect(await status('approved')).toBe('processing');
  expect(await status('iban created')).toBe('processing');
  // Defects of the engines before, which the party's next word mends.
  expect(await status('iban returned, then completed')).toBe('completed');
  expect((await viewOf(idOf('sent, then failed')))['status']).toBe('returned');
  party.set(idOf('approved'), { status: 'completed' });
  party.set(idOf('completed'), { status: 'returned' });
  party.set(idOf('iban sent'), { status: 'failed' });
  for (const label of ['approved', 'completed', 'iban sent']) await look(api, idOf(label));
  expect(await Promise.all(['approved', 'completed', 'iban sent'].map(status))).toEqual([
    ...['completed', 'returned', 'returned'],
  ]);
  expect(await checkLedger(api.services.database)).toEqual([]);
});

it('posts the difference of one that a person adopts', async () => {
  const id = idOf('returned in part, then more');
  await api.services.database.transaction((tx) =>
    adoptTransfer(api.services, tx, { transferId: id, reason: 'Checked.', decidedBy: 'operator:ida' }),
  );
  expect((await viewOf(id))['returnedAmount']).toBe('100.00');
  const [row] = await api.services.database.query<{ sum: string }>(
    `select sum(amount)::text as sum from transfer_entries where transfer_id = $1 and component = 'suspense'`,
    [id],
  );
  expect(Number(row?.sum)).toBe(0);
  expect(await checkLedger(api.services.database)).toEqual([]);
});

it('orders nothing twice', async () => {
  const before = party.payments.map(({ key }) => key);
  for (const { id } of Object.values(cases)) await look(api, id).catch(() => undefined);
  expect(party.payments.map(({ key }) => key)).toEqual(before);
  expect(new Set(before).size).toBe(before.length);
});
