import { checkLedger } from '../../../src/kernel/ledger/check';
import { Decimal } from '../../../src/kernel/money/money';
import { readNewTenantLimits } from '../../../src/process/limits/operations';
import { updateSettings } from '../../../src/tenants/clients/operations';
import { tenantSettings } from '../../../src/tenants/clients/settings';
import { newTenantSettings } from '../../../src/transfers/approval/new-tenant';
import { asOperator, key, operators, type Person } from '../../desk/support';
import { type Client, type TestApi, testApi } from '../../support/api';
import { type TestDesk, testDesk } from '../../support/desk';
import { setLimits } from '../../support/operator';
import { create, created, fundedAccount, look, lookUntil, read, SEPA, statusesTold } from './support';

const HOUR_MS = 3_600_000;
const NEXT = { name: 'Grace Hopper', iban: 'GB33BUKB20201555555555' };

let api: TestApi;
let desk: TestDesk;
let ida: Person;
let client: Client;
let eur: string;
let ahead: number;
beforeAll(async () => {
  api = await testApi({ now: () => new Date(Date.now() + ahead) });
  desk = await testDesk(api.services);
  [ida] = (await operators(api, 'ida')) as [Person];
});
beforeEach(async () => {
  ahead = 0;
  client = await api.client();
  eur = await fundedAccount(api, client, '20000.00');
  await resting(24);
});
afterEach(async () => expect(await checkLedger(api.database)).toEqual([]));
afterAll(async () => {
  await desk.close();
  await api.close();
});

const resting = (newDestinationHours: number) =>
  api.database.transaction((tx) =>
    updateSettings(tx, client.clientId, tenantSettings.parse({ approvals: { newDestinationHours } })),
  );

async function decide(verb: 'approve' | 'reject', subject: string) {
  const ask = await asOperator(desk.url, ida);
  const { status, text } = await ask('POST', `decisions/payout.${verb}`, { subject, reason: 'no' }, key());
  expect([status, text]).toEqual([200, expect.anything()]);
}

const lookAt = async (id: string) =>
  (
    await api.database.query<{ lookAt: Date | null }>(
      'select look_at as "lookAt" from transfers where id = $1',
      [id],
    )
  )[0]?.lookAt;

it('rests for a day, and then a payout goes on by itself', async () => {
  const id = await created(client, eur);
  expect(await look(api, id)).toBe('pending_approval');
  const until = (await lookAt(id)) as Date;
  const hours = (until.getTime() - Date.now()) / HOUR_MS;
  expect(Math.round(hours * 10) / 10).toBe(24);
  const shown = await read(client, eur, id);
  expect(shown).toMatchObject({
    status: 'pending_approval',
    description: `The destination is new: the payout goes on at ${until.toISOString()}, or when the operator approves it.`,
  });
  ahead = 23 * HOUR_MS;
  expect(await look(api, id)).toBe('pending_approval');
  ahead = 24 * HOUR_MS + 1_000;
  await lookUntil(api, id, 'completed');
  expect(await read(client, eur, id)).not.toHaveProperty('description');
  expect((await statusesTold(api, id)).slice(0, 2)).toEqual([
    'created → pending_approval',
    'pending_approval → processing',
  ]);
});

it('is known after its rest, in every spelling, and another one is not', async () => {
  await created(client, eur);
  ahead = 25 * HOUR_MS;
  const spelled = { ...SEPA, name: 'Somebody Else', iban: 'de89 3704 0044 0532 0130 00' };
  expect(await look(api, await created(client, eur, { destination: spelled }))).toBe('processing');
  expect(await look(api, await created(client, eur, { destination: NEXT }))).toBe('pending_approval');
});

it('is known once an operator has approved a payout to it', async () => {
  const id = await created(client, eur);
  await look(api, id);
  await decide('approve', id);
  await lookUntil(api, id, 'completed');
  expect(await look(api, await created(client, eur))).toBe('processing');
});

it('is refused with a rejected payout, with all others that rest for it', async () => {
  const [first, second] = [await created(client, eur), await created(client, eur)];
  for (const id of [first, second]) await look(api, id);
  await decide('reject', first);
  ahead = 25 * HOUR_MS;
  expect(await look(api, second)).toBe('rejected');
  expect((await read(client, eur, second)).description).toContain('another payout');
  const third = await created(client, eur);
  expect(await look(api, third)).toBe('pending_approval');
  ahead = 100 * HOUR_MS;
  expect(await look(api, third)).toBe('pending_approval');
  await decide('approve', third);
  expect(await look(api, await created(client, eur))).toBe('processing');
});

it('is paid by nobody who was blocked while it rested', async () => {
  const id = await created(client, eur);
  await look(api, id);
  await api.database.query(`update accounts set status = 'closed' where id = $1`, [eur]);
  ahead = 25 * HOUR_MS;
  expect(await look(api, id)).toBe('rejected');
});

it('waits for an operator above the threshold, rested or not', async () => {
  const id = await created(client, eur, { amount: '10000.00' });
  await look(api, id);
  ahead = 25 * HOUR_MS;
  expect(await look(api, id)).toBe('pending_approval');
});

it('rests for each tenant by itself, and not at all by default', async () => {
  await created(client, eur);
  ahead = 25 * HOUR_MS;
  client = await api.client();
  eur = await fundedAccount(api, client);
  expect(await look(api, await created(client, eur))).toBe('processing');
  await resting(24);
  expect(await look(api, await created(client, eur))).toBe('pending_approval');
});

it('is stored as a hash alone', async () => {
  const answer = await create(client, eur);
  expect(answer.status).toBe(201);
  const kept = JSON.stringify([
    await api.database.query('select * from payout_destinations'),
    await api.database.query('select terms from transfers where id = $1', [answer.body.id]),
  ]);
  expect(kept).not.toContain(SEPA.iban);
  expect(kept).not.toContain(SEPA.name);
});

it('and the daily limit of a new tenant are those of the installation', async () => {
  const settings = () => api.database.transaction((tx) => newTenantSettings(tx));
  expect(await settings()).toEqual({});
  await setLimits(api.database, { newTenantDaily: new Decimal('50000'), newDestinationHours: 24 });
  expect(await readNewTenantLimits(api.database)).toEqual({
    daily: '50000',
    destinationHours: 24,
    base: 'USD',
  });
  const approvals = { aboveDaily: '50000', currency: 'USD', newDestinationHours: 24 };
  expect(await settings()).toEqual({ approvals });
  const ask = await asOperator(desk.url, ida);
  const made = await ask('POST', 'decisions/client.create', { input: { name: 'Acme' } }, key());
  const shown = await ask('GET', `records/${made.body.result.clientId}`);
  expect(shown.body.record.settings.approvals).toEqual(approvals);
});
