import type { Sql, Tx } from '../../../src/kernel/db/database';
import { DatabaseAway } from '../../../src/kernel/db/faults';
import { listSwitchedOff, type Switch, switchOff, switchOn } from '../../../src/process/switches/operations';
import { createSwitches } from '../../../src/process/switches/switches';
import { type TestDatabase, testDatabase } from '../../support/database';

/** How long a process trusts the switches that it has read. The test moves the clock. */

let test: TestDatabase;
let clock = 1_000_000;
beforeAll(async () => {
  test = await testDatabase();
});
beforeEach(() => test.database.query('delete from switches'));
afterAll(() => test.drop());

const by = { at: new Date('2026-01-31T12:00:00Z'), by: 'operator:ada', reason: 'a test' };
const changed = <T>(work: (tx: Tx) => Promise<T>) => test.database.transaction(work);
const PAYOUT: Switch = { kind: 'capability', name: 'payout', tenantId: null };
const PAYOUTS: Switch = { kind: 'party', name: 'payouts', tenantId: null };

function startProcess(leftOut: Parameters<typeof createSwitches>[1] = {}) {
  const process = { asked: 0, isAway: false };
  const run: Sql['run'] = (query) => {
    process.asked += 1;
    return process.isAway ? Promise.reject(new DatabaseAway('away')) : test.database.run(query);
  };
  const database = { ...test.database, run } as Sql;
  return Object.assign(process, createSwitches(database, { ...leftOut, now: () => clock }));
}

it('is off in every process within a second, with at most two reads a second', async () => {
  const one = startProcess();
  expect(await one.capability('payout', null)).toBe('on');
  await changed((tx) => switchOff(tx, PAYOUT, by));
  for (let call = 0; call < 100; call += 1) await one.capability('payout', null);
  expect(one.asked).toBe(1);
  clock += 1_001;
  expect(await one.capability('payout', null)).toBe('stopped');
  await changed((tx) => switchOn(tx, PAYOUT, by));
  clock += 600; // answered from memory, with a new reading in the background
  expect(await one.capability('payout', null)).toBe('stopped');
  await until(() => one.asked === 3);
  clock += 450;
  expect(await one.capability('payout', null)).toBe('on');
  expect(one.asked).toBe(3);
});

it('is off for one tenant only', async () => {
  const process = startProcess();
  const tenantId = 'cli_01h455vb4pex5vsknk084sn02q';
  await test.database.query('alter table switches drop constraint if exists switches_tenant_id_fkey');
  await changed((tx) => switchOff(tx, { ...PAYOUT, tenantId }, by));
  expect(await process.capability('payout', tenantId)).toBe('stopped');
  expect(await process.capability('payout', 'cli_other')).toBe('on');
  expect(await process.capability('deposit', tenantId)).toBe('on');
});

it('disables the capabilities of a party that is stopped or left out', async () => {
  await changed((tx) => switchOff(tx, { ...PAYOUTS, name: 'external-cards' }, by));
  const process = startProcess({ leftOut: ['bank'] });
  expect(await process.party('externalCards')).toBe('stopped');
  expect(await process.capability('card_topup', null)).toBe('stopped');
  expect(await process.capability('card_withdrawal', null)).toBe('stopped');
  expect([await process.party('bank'), await process.capability('virtual_iban', null)]).toEqual([
    'left_out',
    'left_out',
  ]);
  expect(await process.party('payouts')).toBe('on');
});

it('is trusted for five seconds while the database is away, and not longer', async () => {
  const process = startProcess();
  await changed((tx) => switchOff(tx, PAYOUT, by));
  await process.capability('payout', null);
  process.isAway = true;
  clock += 4_900;
  expect(await process.capability('payout', null)).toBe('stopped');
  clock += 200;
  await expect(process.capability('payout', null)).rejects.toThrow(DatabaseAway);
  process.isAway = false;
  expect(await process.capability('payout', null)).toBe('stopped');
});

it('stores who switched it off, when and why; a second call changes nothing', async () => {
  expect(await changed((tx) => switchOff(tx, PAYOUT, by))).toBe(true);
  expect(await changed((tx) => switchOff(tx, PAYOUT, { ...by, reason: 'again' }))).toBe(false);
  expect(await listSwitchedOff(test.database)).toEqual([
    { ...PAYOUT, offAt: by.at, offBy: 'operator:ada', offReason: 'a test' },
  ]);
  expect(await changed((tx) => switchOn(tx, PAYOUT, by))).toEqual(by.at);
  expect(await changed((tx) => switchOn(tx, PAYOUT, by))).toBeUndefined();
  expect(await changed((tx) => switchOff(tx, PAYOUT, by))).toBe(true);
  expect(await test.database.query('select on_by from switches order by id')).toEqual([
    { on_by: 'operator:ada' },
    { on_by: null },
  ]);
});

async function until(done: () => boolean): Promise<void> {
  while (!done()) await new Promise((resolve) => setTimeout(resolve, 1));
  await new Promise((resolve) => setTimeout(resolve, 20));
}
