/** @long */
import { checkLedger } from '../../../src/kernel/ledger/check';
import { lockCheck } from '../../../src/transfers/exchange/settlement/store';
import {
  anotherOperator,
  command,
  dayGoesBy,
  operatorEnvironment,
  setAdminLimit,
} from '../../support/operator';
import { check, dealt, internal, later, type World, world } from './support';

let on: World;
let ida: Record<string, string>;
let bob: Record<string, string>;
beforeEach(async () => {
  on = await world();
  ida = await operatorEnvironment(on.api.database, 'ida');
  bob = await anotherOperator(ida, 'bob');
  await setAdminLimit(on.api.database, '1000');
  await dayGoesBy(on.api.database);
});
afterEach(async () => {
  expect(await checkLedger(on.api.database)).toEqual([]);
  await on.api.close();
});

const move = (amount: string, as: string, ...more: string[]) =>
  command(
    ida,
    'settlement',
    'move',
    ...['--party', 'exchange', '--currency', 'USD', '--amount', amount, '--as', as],
    ...WHY,
    ...more,
  );
const WHY = ['--reason', 'the letter of 3 May'];

/** The balances of the exchange's settlement, of our treasury, and of losses. */
const books = () =>
  Promise.all(['settlement:USD', 'treasury:USD', 'losses:USD'].map((account) => internal(on, account)));

const audited = () =>
  on.api.database.query(
    `select actor, action, after->>'as' as as, after->>'amount' as amount from audit_log
      where subject = 'settlement:USD' order by id`,
  );

it('our own money goes to the exchange and back, and releases no order', async () => {
  await dealt(on, '50.00', '50 55');
  const { code, out } = await move('100.00', 'funding', '--json');
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ party: 'exchange', currency: 'USD', amount: '100.00' });
  expect(await books()).toEqual([-155, 100, 0]);
  on.double.balances = { USD: '100' };
  expect((await check(on)).body).toMatchObject({ increase: '100.00', ordersReleased: [], leftOver: '0.00' });
  // 30 leave, and 20 of the owed amount come.
  expect((await move('30', 'withdrawal')).out).toMatch(/amount +30\.00/);
  expect(await books()).toEqual([-125, 70, 0]);
  on.double.balances = { USD: '90' };
  // The reading may not yet have the recent withdrawal.
  expect((await check(on)).status).toBe(503);
  later(on, 6);
  expect((await check(on)).body).toMatchObject({ increase: '20.00', ordersReleased: [], leftOver: '20.00' });
  expect(await audited()).toEqual([
    { actor: 'operator:ida', action: 'settlement.move', as: 'funding', amount: '100.00' },
    { actor: 'operator:ida', action: 'settlement.move', as: 'withdrawal', amount: '30.00' },
  ]);
});

it('a write-off of a short settlement releases its order, and a surplus is booked as a gain', async () => {
  const id = await dealt(on, '50.00', '50 55');
  on.double.balances = { USD: '54' };
  expect((await check(on)).body).toMatchObject({ ordersReleased: [], leftOver: '54.00' });
  await move('1.00', 'write-off');
  expect(await books()).toEqual([-54, 0, -1]);
  expect((await check(on)).body).toMatchObject({ ordersReleased: [id], leftOver: '0.00' });
  on.double.balances = { USD: '57' };
  expect((await check(on)).body).toMatchObject({ leftOver: '3.00' });
  await move('3.00', 'surplus');
  expect(await books()).toEqual([-57, 0, 2]);
  expect((await check(on)).body).toMatchObject({ leftOver: '0.00' });
});

it('a write-off above the shortage of the last check is refused, because it would release unpaid orders', async () => {
  const [paid, unpaid] = [await dealt(on, '50.00', '50 55'), await dealt(on, '30.00', '30 33')];
  on.double.balances = { USD: '54' };
  await check(on);
  const refused = await move('34.01', 'write-off', '--json');
  expect([refused.code, JSON.parse(refused.err).message]).toEqual([4, expect.stringContaining('34.00 USD')]);
  expect(await books()).toEqual([-88, 0, 0]);
  await move('1.00', 'write-off');
  expect((await check(on)).body).toMatchObject({ ordersReleased: [paid], leftOver: '0.00' });
  on.double.balances = { USD: '87' };
  expect((await check(on)).body).toMatchObject({ ordersReleased: [unpaid], leftOver: '0.00' });
  // The exchange has less than before, but owes nothing.
  on.double.balances = { USD: '80' };
  await check(on);
  for (const more of [[], ['--preview']]) expect((await move('0.01', 'write-off', ...more)).code).toBe(4);
});

it('a shortage can be written off only once', async () => {
  await dealt(on, '50.00', '50 55');
  expect((await move('55.00', 'write-off')).code).toBe(0);
  expect((await move('0.01', 'write-off')).code).toBe(4);
});

it('the moves of an operator on one day count together towards the limit', async () => {
  expect((await move('600', 'funding')).code).toBe(0);
  const { out } = await move('600', 'funding', '--json');
  expect(JSON.parse(out)).toHaveProperty('approval');
  expect(await books()).toEqual([-600, 600, 0]);
});

it('a move waits for a running check of the currency', async () => {
  await dealt(on, '50.00', '50 55');
  let moved: Promise<unknown> = Promise.resolve();
  await on.api.database.transaction(async (tx) => {
    await lockCheck(tx, 'USD');
    moved = move('1.00', 'write-off');
    await expect(waitsForLock()).resolves.toBe(true);
    expect(await books()).toEqual([-55, 0, 0]);
  });
  await moved;
  expect(await books()).toEqual([-54, 0, -1]);
});

/** Waits until a connection waits for the lock of a check. */
async function waitsForLock(): Promise<boolean> {
  for (;;) {
    const waiting = await on.api.database.query(
      `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%settlement_checks%'`,
    );
    if (waiting.length > 0) return true;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

it('a move above the limit is booked after the approval of another operator', async () => {
  const { out } = await move('1000.01', 'funding', '--json');
  const { approval } = JSON.parse(out) as { approval: { id: string } };
  expect(await books()).toEqual([0, 0, 0]);
  expect((await command(ida, 'approval', 'approve', approval.id)).code).toBe(4);
  expect((await command(bob, 'approval', 'approve', approval.id)).code).toBe(0);
  expect(await books()).toEqual([-1000.01, 1000.01, 0]);
});

it.each([
  ['0', 'funding', 'amount'],
  ['1.001', 'funding', 'amount'],
  ['-1', 'write-off', 'amount'],
  ['1', 'gift', "--as <value>' argument 'gift'"],
])('refuses %s as %s, without a trace', async (amount, as, field) => {
  const { code, err } = await move(amount, as, '--json');
  expect([code, err]).toEqual([2, expect.stringContaining(field)]);
  expect(await books()).toEqual([0, 0, 0]);
  expect(await audited()).toEqual([]);
});
