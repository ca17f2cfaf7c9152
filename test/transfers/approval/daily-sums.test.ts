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

/** 100.35 EUR. */
const payout = () => created(client, eur);

/** 101.50 USD. */
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

/** Whether each waits for an operator, in the order in which they were made. */
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

it('counts nothing where no threshold is set', async () => {
  expect(await waits(await payout(), await withdrawn())).toEqual([false, false]);
  expect(await outflows()).toEqual([]);
});

it('lets what takes the day above it wait, over all kinds, at the mid rate of each', async () => {
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

it('is taken exactly: what comes to the threshold does not wait', async () => {
  await limitedTo('200.70');
  expect(await waits(await payout(), await payout(), await payout())).toEqual([false, false, true]);
});

it('does not count what was rejected or has failed, and counts what was approved', async () => {
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

it('waits where the rate is stale, and so does what follows on a day that cannot be summed', async () => {
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

it('begins anew with each UTC day, and with another currency a person decides for the rest of one', async () => {
  await limitedTo('150.00');
  expect(await waits(await payout(), await payout())).toEqual([false, true]);
  ahead = 24 * 60 * 60_000;
  expect(await waits(await payout())).toEqual([false]);
  await limitedTo('100000.00', 'USD');
  expect(await waits(await payout())).toEqual([true]);
  ahead *= 2;
  expect(await waits(await payout())).toEqual([false]);
});

it('leaves nothing behind of what was refused', async () => {
  await limitedTo('150.00');
  const poor = await create(client, await masterAccount(client, 'GBP'), { method: 'swift', currency: 'GBP' });
  expect(poor.body.code).toBe('insufficient_funds');
  expect(await outflows()).toEqual([]);
});

it('never lets the sum pass unnoticed: fifty at once of two kinds', async () => {
  await limitedTo('1000.00');
  const asked = Array.from({ length: 50 }, (_, index) => (index % 2 ? payout() : withdrawn()));
  const ids = await Promise.all(asked);
  const unnoticed = (await waits(...ids)).filter((waiting) => waiting === false).length;
  const [row] = await api.database.query<{ sum: string }>(
    `select sum(o.amount)::text as sum from daily_outflows o join transfers t on t.id = o.transfer_id
      where o.tenant_id = $1 and not (t.terms->>'needsApproval')::boolean`,
    [client.clientId],
  );
  // Each comes to 93.98 or 100.35: nine or ten of them fit.
  expect(Number(row?.sum)).toBeLessThanOrEqual(1000);
  expect(unnoticed).toBeGreaterThanOrEqual(9);
  expect(await outflows()).toHaveLength(50);
});
