import { checkLedger } from '../../../src/kernel/ledger/check';
import { decideApproval } from '../../../src/transfers/approval/decide';
import { checkRunningSums } from '../../../src/transfers/check';
import { payoutKind } from '../../../src/transfers/payouts/kind';
import { type Client, type TestApi, testApi } from '../../support/api';
import { fund, masterAccount } from '../../support/cards';
import { command, operatorEnvironment } from '../../support/operator';
import { freshKey } from '../external-cards/support';
import { credited, enabled, paidOut } from '../iban/support';
import { create, created, fundedAccount, look } from '../payouts/support';

let api: TestApi;
let client: Client;
let eur: string;
let usd: string;
let ahead: number;
let environment: Record<string, string>;
beforeAll(async () => {
  api = await testApi({ now: () => new Date(Date.now() + ahead) });
  environment = await operatorEnvironment(api.database);
});
beforeEach(async () => {
  ahead = 0;
  client = await api.client();
  eur = await fundedAccount(api, client, '20000.00', 'EUR');
  usd = await masterAccount(client);
  await fund(api, usd, '20000.00');
});
afterEach(async () =>
  expect([...(await checkLedger(api.database)), ...(await checkRunningSums(api.database))]).toEqual([]),
);
afterAll(() => api.close());

async function limitedTo(aboveDaily: string, currency = 'EUR'): Promise<void> {
  const sets = [`approvals.aboveDaily=${aboveDaily}`, `approvals.currency=${currency}`];
  const argv = sets.flatMap((set) => ['--set', set]);
  const { code, err } = await command(environment, 'client', 'settings', client.clientId, ...argv);
  expect([code, err]).toEqual([0, '']);
}

/** Creates a payout of 100.35 EUR in total. */
const payout = () => created(client, eur);

/** Requests a withdrawal of 101.50 USD in total. */
const withdraw = () =>
  client.call(
    'POST',
    `/v2/accounts/${usd}/withdraw/card`,
    { amount: '100.00', paymentMethodToken: 'tok_visa' },
    freshKey(),
  );

async function withdrawn(): Promise<string> {
  const answer = await withdraw();
  if (answer.status !== 202) throw new Error(answer.text);
  return String(answer.body.id);
}

/** Whether each transfer waits for an operator, in order of creation. */
const waits = async (...ids: string[]) => {
  const rows = await api.database.query<{ id: string; waits: boolean }>(
    `select id, (terms->>'needsApproval')::boolean as waits from transfers where id = any($1)`,
    [ids],
  );
  const byId = new Map(rows.map((row) => [row.id, row.waits]));
  return ids.map((id) => byId.get(id));
};

const outflows = () =>
  api.database.query<{ amount: string | null; currency: string; rate: string | null }>(
    'select amount::text, currency, rate::text from daily_outflows where tenant_id = $1 order by transfer_id',
    [client.clientId],
  );

it('counts nothing without a threshold', async () => {
  expect(await waits(await payout(), await withdrawn())).toEqual([false, false]);
  expect(await outflows()).toEqual([]);
});

it('lets a transfer wait that takes the day’s sum of all kinds, at mid rates, above the threshold', async () => {
  const iban = await enabled(api, client);
  await credited(api, iban.id, '500.00');
  await limitedTo('318.41', 'USD');
  const [one, two] = [await payout(), (await paidOut(client, '100.00')).id];
  const three = await withdrawn();
  expect(await waits(one, two, three)).toEqual([false, false, true]);
  expect(await outflows()).toEqual([
    { amount: '101.5', currency: 'USD', rate: '1' },
    { amount: '108.54', currency: 'USD', rate: '1.08' },
    { amount: '108.378', currency: 'USD', rate: '1.08' },
  ]);
});

it('lets a transfer pass that takes the sum exactly to the threshold', async () => {
  await limitedTo('200.70');
  expect(await waits(await payout(), await payout(), await payout())).toEqual([false, false, true]);
});

it('counts approved transfers, and no rejected or failed ones', async () => {
  await limitedTo('200.00');
  const [one, two] = [await payout(), await payout()];
  expect(await waits(one, two)).toEqual([false, true]);
  expect(await look(api, two)).toBe('pending_approval');
  const decide = (payoutId: string, decision: 'approved' | 'rejected') =>
    api.database.transaction((tx) =>
      decideApproval(api.services, tx, payoutKind, { id: payoutId, decision, decidedBy: 'operator:ida' }),
    );
  await decide(two, 'rejected');
  const small = () => created(client, eur, { amount: '90.00' });
  const three = await small();
  expect(await waits(three)).toEqual([false]);
  const four = await small();
  expect(await look(api, four)).toBe('pending_approval');
  await decide(four, 'approved');
  await api.database.query(`update transfers set status = 'failed' where id = $1`, [one]);
  expect(await waits(await small())).toEqual([true]);
});

it('lets a transfer wait without a fresh rate, and later ones while the day cannot be summed', async () => {
  await limitedTo('100000.00', 'USD');
  const { rates } = api.services.parties;
  api.services.parties.rates = {
    ...rates,
    worth: () => undefined,
  };
  const iban = await enabled(api, client);
  await credited(api, iban.id, '500.00');
  const stale = (await paidOut(client, '100.00')).id;
  api.services.parties.rates = rates;
  expect(await waits(stale, await payout())).toEqual([true, true]);
  expect((await outflows()).map(({ amount }) => amount)).toEqual([null, '108.378']);
  await api.database.query(`update transfers set status = 'rejected' where id = $1`, [stale]);
  expect(await waits(await payout())).toEqual([false]);
});

it('starts anew each UTC day, and lets all wait on the day when the currency changes', async () => {
  await limitedTo('150.00');
  expect(await waits(await payout(), await payout())).toEqual([false, true]);
  ahead = 24 * 60 * 60_000;
  expect(await waits(await payout())).toEqual([false]);
  await limitedTo('100000.00', 'USD');
  expect(await waits(await payout())).toEqual([true]);
  ahead *= 2;
  expect(await waits(await payout())).toEqual([false]);
});

it('leaves no trace of a refused transfer', async () => {
  await limitedTo('150.00');
  const poor = await create(client, await masterAccount(client, 'GBP'), { method: 'swift', currency: 'GBP' });
  expect(poor.body.code).toBe('insufficient_funds');
  expect(await outflows()).toEqual([]);
});

it('holds the threshold for fifty transfers of two kinds at once', async () => {
  await limitedTo('1000.00');
  const asked = Array.from({ length: 50 }, (_, index) => (index % 2 ? payout() : withdrawn()));
  const ids = await Promise.all(asked);
  const unnoticed = (await waits(...ids)).filter((waiting) => waiting === false).length;
  const [row] = await api.database.query<{ sum: string }>(
    `select sum(o.amount)::text as sum from daily_outflows o join transfers t on t.id = o.transfer_id
      where o.tenant_id = $1 and not (t.terms->>'needsApproval')::boolean`,
    [client.clientId],
  );
  // Each transfer counts 93.98 or 100.35, so nine or ten of them fit.
  expect(Number(row?.sum)).toBeLessThanOrEqual(1000);
  expect(unnoticed).toBeGreaterThanOrEqual(9);
  expect(await outflows()).toHaveLength(50);
});
