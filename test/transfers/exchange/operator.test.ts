import { checkLedger } from '../../../src/kernel/ledger/check';
import { exchangeKey } from '../../../src/transfers/exchange/orders/kind';
import { command, operatorEnvironment } from '../../support/operator';
import { until } from '../../support/until';
import { balance, looked, ordered, read, type World, world } from './support';

let on: World;
let environment: Record<string, string>;
beforeAll(async () => {
  on = await world();
  environment = await operatorEnvironment(on.api.database);
});
afterEach(async () => expect(await checkLedger(on.api.database)).toEqual([]));
afterAll(() => on.api.close());

const cancel = (id: string, ...more: string[]) =>
  command(environment, 'exchange-order', 'cancel', id, ...more);
const BECAUSE = ['--reason', 'The client called.'];
const setClient = (verb: 'disable' | 'enable') =>
  command(environment, 'client', verb, on.client.clientId, ...BECAUSE);

const decisionsOf = (id: string) =>
  on.api.database.query('select kind, reason, decided_by from transfer_decisions where transfer_id = $1', [
    id,
  ]);
const auditOf = (id: string) =>
  on.api.database.query('select action, actor, tenant_id, before, after from audit_log where subject = $1', [
    id,
  ]);

it('cancels an order that was not given, releases the hold, and records the operator', async () => {
  const before = await balance(on.client, on.eur);
  const id = await ordered(on);
  const preview = await cancel(id, '--preview', '--json');
  expect(JSON.parse(preview.out).effects[0]).toEqual({ field: 'status', from: 'created', to: 'cancelled' });
  const { code, out, err } = await cancel(id, ...BECAUSE, '--json');
  expect([code, err]).toEqual([0, '']);
  expect((await cancel(id, '--preview')).code).toBe(4);
  expect(JSON.parse(out)).toMatchObject({ id, status: 'cancelled', failure: 'cancelled_by_operator' });
  expect(await read(on, id)).toMatchObject({ status: 'cancelled', sold: '0.00', bought: '0.00' });
  expect(await balance(on.client, on.eur)).toBe(before);
  expect(await decisionsOf(id)).toEqual([
    { kind: 'cancel', reason: 'The client called.', decided_by: 'operator:ida' },
  ]);
  expect(await auditOf(id)).toEqual([
    {
      action: 'exchange-order.cancel',
      actor: 'operator:ida',
      tenant_id: on.client.clientId,
      before: { status: 'created' },
      after: { status: 'cancelled', reason: 'The client called.' },
    },
  ]);
  // The workflow finds the order ended, and gives nothing to the exchange.
  expect(await looked(on, id)).toMatchObject({ status: 'cancelled', open: false });
  expect(on.double.orders.has(exchangeKey(id))).toBe(false);
});

it('cancels an order that an admin made while the client was disabled', async () => {
  const { client, admin, eur, usd } = on;
  const before = await balance(client, eur);
  expect((await setClient('disable')).out).toBe(`${client.clientId} is disabled.`);
  const id = await ordered({ client: admin, eur, usd });
  expect(await looked(on, id)).toMatchObject({ status: 'created', open: true, lookAt: null });
  expect(on.double.orders.has(exchangeKey(id))).toBe(false);
  expect((await cancel(id, ...BECAUSE)).out).toBe(`${id} is cancelled.`);
  expect((await setClient('enable')).out).toBe(`${client.clientId} is active.`);
  expect(await looked(on, id)).toMatchObject({ status: 'cancelled', open: false });
  await until(async () => (await balance(client, eur)) === before);
});

it('gives a waiting order to the exchange as soon as the client is enabled', async () => {
  const { admin, eur, usd } = on;
  await setClient('disable');
  const id = await ordered({ client: admin, eur, usd });
  await looked(on, id);
  const told = () =>
    on.api.database.query(`select 1 from workflow_commands where action = 'look' and workflow_id = $1`, [
      `exchange-order-${id}`,
    ]);
  expect(await told()).toEqual([]);
  await setClient('enable');
  expect(await told()).toHaveLength(1);
  expect(await looked(on, id)).toMatchObject({ status: 'executing' });
  expect(on.double.orders.has(exchangeKey(id))).toBe(true);
});

it('prints one line without --json', async () => {
  const id = await ordered(on);
  expect(await cancel(id, ...BECAUSE)).toEqual({ code: 0, out: `${id} is cancelled.`, err: '' });
});

it('refuses an order that the exchange has or may have, or that is cancelled, and leaves no trace', async () => {
  const [had, lost, cancelled] = [await ordered(on), await ordered(on), await ordered(on)];
  await looked(on, had);
  on.double.next.push('lost');
  await expect(looked(on, lost)).rejects.toThrow();
  await cancel(cancelled, ...BECAUSE);
  for (const [id, decided] of [
    [had, 0],
    [lost, 0],
    [cancelled, 1],
  ] as const) {
    const before = await read(on, id);
    const { code, err } = await cancel(id, ...BECAUSE, '--json');
    expect([code, JSON.parse(err).code]).toEqual([4, 'invalid_transition']);
    expect(await read(on, id)).toEqual(before);
    expect([await decisionsOf(id), await auditOf(id)].map(({ length }) => length)).toEqual([
      decided,
      decided,
    ]);
  }
});

it('requires a reason, an existing order, and an operator', async () => {
  const id = await ordered(on);
  expect((await cancel(id)).code).toBe(2);
  expect((await cancel(id, '--reason', ' ')).code).toBe(2);
  expect((await cancel('exo_01jz0000000000000000000000', ...BECAUSE)).code).toBe(3);
  const { OPERATOR_SECRET: _, ...nobody } = environment;
  expect((await command(nobody, 'exchange-order', 'cancel', id, ...BECAUSE)).code).not.toBe(0);
  expect(await read(on, id)).toMatchObject({ status: 'created' });
});
