import { checkLedger } from '../../../src/kernel/ledger/check';
import { screeningLeftOut } from '../../../src/parties/screening/left-out';
import { receiveScreenings } from '../../../src/transfers/screened';
import { screeningsOf } from '../../../src/transfers/screening/operations';
import { accountBalance } from '../../cards/cards/support';
import { type Client, type TestApi, testApi } from '../../support/api';
import { switchable } from '../../support/switchable';
import { created, fundedAccount, look, lookUntil, read } from './support';

/** Destinations of payouts to chains, judged by the sandbox's screening party over HTTP. */

const clock = { aheadMs: 0 };
let api: TestApi;
let client: Client;
let accountId: string;
beforeAll(async () => {
  api = await testApi({ now: () => new Date(Date.now() + clock.aheadMs) });
  client = await api.client();
  accountId = await fundedAccount(api, client, '90000.00');
});
afterEach(async () => expect(await checkLedger(api.database)).toEqual([]));
afterAll(() => api.close());

/** A payout to an address with this ending. */
const paidTo = (ending: string, of = { client, accountId }): Promise<string> => {
  const address = `0x${'7'.repeat(34)}${ending}`;
  const destination = { chain: 'polygon', asset: 'USDT', address };
  return created(of.client, of.accountId, { method: 'crypto', currency: 'USDT', destination });
};
const resultOf = async (id: string) =>
  (await screeningsOf(api.database, id)).map(({ direction, status }) => [direction, status]);
const orderedAt = async (id: string) =>
  (await api.database.query('select ordered_at from transfers where id = $1', [id]))[0]?.['ordered_at'];

it('orders a payout to a cleared address', async () => {
  const id = await paidTo('abc123');
  await lookUntil(api, id, 'completed');
  expect(await resultOf(id)).toEqual([['outbound', 'cleared']]);
});

it('fails a payout to a refused address with a code, and releases the money', async () => {
  const before = await accountBalance(client, accountId);
  const id = await paidTo('bad001');
  expect(await look(api, id)).toBe('failed');
  expect(await read(client, accountId, id)).toMatchObject({ status: 'failed', failure: 'screening_refused' });
  expect(await accountBalance(client, accountId)).toEqual(before);
  expect([await orderedAt(id), await resultOf(id)]).toEqual([null, [['outbound', 'refused']]]);
});

it.each([
  ['bad002', 'completed'],
  ['bad003', 'failed'],
] as const)('gives no order while the screening is pending (%s)', async (ending, end) => {
  const id = await paidTo(ending);
  expect(await look(api, id)).toBe('processing');
  expect(await look(api, id)).toBe('processing');
  expect([await orderedAt(id), await resultOf(id)]).toEqual([null, [['outbound', 'pending']]]);
  clock.aheadMs += 20_000;
  expect(await api.database.transaction((tx) => receiveScreenings(api.services, tx, [id]))).toBe(1);
  await lookUntil(api, id, end);
});

it('gives no order while the screening party is away', async () => {
  const id = await paidTo('bad005');
  expect(await look(api, id)).toBe('processing');
  expect(await orderedAt(id)).toBeNull();
  clock.aheadMs += 30_000;
  await lookUntil(api, id, 'completed');
});

it('gives no order while the screening party is stopped, and goes on afterwards', async () => {
  const switches = switchable(api);
  await switches.stop('screening');
  const id = await paidTo('abc126');
  expect([await look(api, id), await look(api, id)]).toEqual(['processing', 'processing']);
  expect([await orderedAt(id), await resultOf(id)]).toEqual([null, [['outbound', 'pending']]]);
  await switches.start('screening');
  await lookUntil(api, id, 'completed');
});

it('does not screen the order again once it is given', async () => {
  const id = await paidTo('bad006');
  await look(api, id);
  expect(await orderedAt(id)).not.toBeNull();
  clock.aheadMs += 60_000;
  await lookUntil(api, id, 'completed');
});

it('screens nothing without the party', async () => {
  const off = await testApi({ parties: { screening: screeningLeftOut() } });
  const other = await off.client();
  const of = { client: other, accountId: await fundedAccount(off, other) };
  const id = await paidTo('bad001', of);
  await lookUntil(off, id, 'completed');
  expect(await screeningsOf(off.database, id)).toEqual([]);
  await off.close();
});

it('stores no address of a destination', async () => {
  const id = await paidTo('abc124');
  await look(api, id);
  const [row] = await api.database.query('select s::text as text from screenings s where key = $1', [id]);
  expect(row?.['text']).not.toContain('abc124');
});
