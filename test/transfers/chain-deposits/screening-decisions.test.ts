/** @long */
import { checkLedger } from '../../../src/kernel/ledger/check';
import { screeningLeftOut } from '../../../src/parties/screening/left-out';
import { setAdminLimit, setLimits, type TestOperator } from '../../support/operator';
import { screenedWorld, UNITS } from './screened';
import type { World } from './support';

/** Decisions of people on the screening of a deposit, by the command line. */

const on = screenedWorld();
const { paid, found, stateOf, breaksOf, pass, told, sweepable } = on;
let world: World;
let [ida, bob] = [] as unknown as [TestOperator, TestOperator];
let account: string;
beforeAll(async () => {
  ({ world, account, ida, bob } = await on.open());
});
afterEach(async () => expect(await checkLedger(world.api.database)).toEqual([]));
afterAll(() => world.close());

const REASON = ['--reason', 'ticket 4711'];
const available = async () => Number(await world.available(account));
const refused = async (address: string) => ida('screening', 'refuse', (await found(address)).id, ...REASON);

/** Clears the screening by two operators, and lets the workflow look. */
async function cleared(address: string): Promise<void> {
  const asked = await ida('screening', 'clear', (await found(address)).id, ...REASON, '--json');
  expect([asked.err, asked.json()]).toMatchObject(['', { approval: { needs: 1 } }]);
  expect(await bob('approval', 'approve', asked.json().approval.id)).toMatchObject({ code: 0, err: '' });
  await world.looks();
}
const decidedOn = async (address: string) => {
  const text = 'select decided, decided_by, waits from screenings where subject = $1';
  const [row] = await world.api.database.query(text, [(await found(address)).id]);
  return [row?.['decided'], row?.['decided_by'], row?.['waits']];
};

describe('a pending screening', () => {
  it('is refused by one operator: the money stands in suspense, and sweeps leave its coins', async () => {
    const before = await available();
    const address = await paid('bad004');
    expect(await refused(address)).toMatchObject({ code: 0, err: '' });
    expect(await stateOf(address)).toEqual(['uncredited', 'screening_refused', 'pending']);
    expect(await decidedOn(address)).toEqual(['refused', 'operator:ida', false]);
    expect((await breaksOf(address)).map(({ kind }) => kind)).toEqual(['transfer_suspense']);
    expect([await available(), await sweepable(address, 'allocated')]).toEqual([before, 0n]);
    await world.lookAgain();
    expect(await stateOf(address)).toEqual(['uncredited', 'screening_refused', 'pending']);
    expect(await refused(address)).toMatchObject({ code: 4 });
  });

  it('stays refused by people when the party clears it, until two operators clear it', async () => {
    const before = await available();
    const address = await paid('bad002');
    await refused(address);
    pass(20);
    await told(address);
    expect(await stateOf(address)).toEqual(['uncredited', 'screening_refused', 'cleared']);
    await cleared(address);
    expect(await stateOf(address)).toEqual(['credited', null, 'cleared']);
    expect(await available()).toBe(before + 25);
  });

  it('is cleared by two operators at any amount: the deposit is credited, and then swept', async () => {
    const before = await available();
    const address = await paid('bad004');
    await setAdminLimit(world.api.database, '1');
    await setLimits(world.api.database, { dualControl: 'on' });
    await cleared(address);
    await setAdminLimit(world.api.database, '1000000000');
    await setLimits(world.api.database, { dualControl: 'off' });
    expect(await stateOf(address)).toEqual(['credited', null, 'pending']);
    expect(await decidedOn(address)).toEqual(['cleared', 'operator:bob', false]);
    expect([await available(), await sweepable(address, 'allocated')]).toEqual([before + 25, UNITS]);
    await world.lookAgain();
    expect(await stateOf(address)).toEqual(['credited', null, 'pending']);
  });

  it('shows the party’s later refusal of what people have cleared, and moves no money', async () => {
    const address = await paid('bad003');
    await cleared(address);
    const after = await available();
    pass(20);
    await told(address);
    expect(await stateOf(address)).toEqual(['credited', null, 'refused']);
    const detail = 'after people cleared it: 25000000 units, sanctions, version 2';
    expect(await breaksOf(address)).toEqual([{ kind: 'chain_deposit_refused', detail }]);
    expect([await available(), await sweepable(address, 'allocated')]).toEqual([after, UNITS]);
  });
});

describe('a refused deposit', () => {
  it('is cleared by two operators: it is credited, its breaks close, and sweeps take its coins', async () => {
    const before = await available();
    const address = await paid('bad001');
    expect(await stateOf(address)).toEqual(['uncredited', 'screening_refused', 'refused']);
    const { id } = await found(address);
    const preview = await ida('screening', 'clear', id, ...REASON, '--preview', '--json');
    expect(preview.text).toContain('credited');
    await cleared(address);
    expect(await stateOf(address)).toEqual(['credited', null, 'refused']);
    expect(await breaksOf(address)).toEqual([]);
    expect([await available(), await sweepable(address, 'allocated')]).toEqual([before + 25, UNITS]);
    await world.lookAgain();
    expect([await stateOf(address), await breaksOf(address)]).toEqual([['credited', null, 'refused'], []]);
  });

  it('without an owner stays in suspense when it is cleared, and sweeps take its coins', async () => {
    const address = await paid('bad001', await world.wallet());
    expect(await sweepable(address, 'available')).toBe(0n);
    await cleared(address);
    expect(await stateOf(address)).toEqual(['uncredited', 'not_allocated', 'refused']);
    expect(await sweepable(address, 'available')).toBe(UNITS);
  });

  it('of a closed account stays in suspense when it is cleared', async () => {
    const { body: user } = await world.client.call('POST', '/v1/users', {});
    const opened = await world.client.call('POST', `/v1/users/${user.id}/accounts`, { currency: 'USDT' });
    const own = String(opened.body.id);
    const address = await paid('bad001', await world.wallet(own));
    await world.api.database.query(`update accounts set status = 'closed' where id = $1`, [own]);
    await cleared(address);
    expect(await stateOf(address)).toEqual(['uncredited', 'account_closed', 'refused']);
    expect(Number(await world.available(own))).toBe(0);
  });

  it('is written off by two operators, and sweeps leave what stays in suspense', async () => {
    const address = await paid('bad001');
    const { id } = await found(address);
    await setLimits(world.api.database, { dualControl: 'on' });
    const part = ['--amount', '0.01', ...REASON, '--json'];
    const asked = (await ida('suspense', 'write-off', id, ...part)).json();
    expect([asked.approval.needs, await sweepable(address, 'allocated')]).toEqual([1, 0n]);
    expect(await bob('approval', 'approve', asked.approval.id)).toMatchObject({ code: 0, err: '' });
    await setLimits(world.api.database, { dualControl: 'off' });
    expect(await sweepable(address, 'allocated')).toBe(10_000n);
    expect(await sweepable(address, 'available')).toBe(10_000n);
    expect(await ida('screening', 'clear', id, ...REASON)).toMatchObject({ code: 4 });
    expect(await ida('suspense', 'write-off', id, ...REASON)).toMatchObject({ code: 0, err: '' });
    expect(await sweepable(address, 'allocated')).toBe(UNITS);
  });
});

it('refuses a decision on a credited deposit', async () => {
  const address = await paid('abc124');
  expect(await refused(address)).toMatchObject({ code: 4 });
  expect(await ida('screening', 'clear', (await found(address)).id, ...REASON)).toMatchObject({ code: 4 });
});

describe('a party that takes its clearance back', () => {
  /** The party answers every question with `pending`. */
  const undecided = () => {
    const { screening } = world.api.services.parties;
    world.api.services.parties.screening = {
      ...screening,
      outcome: () => Promise.resolve({ status: 'pending', version: 9 }),
    };
    return () => void (world.api.services.parties.screening = screening);
  };

  it('takes no credit from a closed account when people clear the deposit again', async () => {
    const { body: user } = await world.client.call('POST', '/v1/users', {});
    const opened = await world.client.call('POST', `/v1/users/${user.id}/accounts`, { currency: 'USDT' });
    const own = String(opened.body.id);
    const address = await paid('abc127', await world.wallet(own));
    await world.api.database.query(`update accounts set status = 'closed' where id = $1`, [own]);
    const restore = undecided();
    await told(address);
    expect(await stateOf(address)).toEqual(['credited', null, 'pending']);
    await cleared(address);
    restore();
    expect(await stateOf(address)).toEqual(['credited', null, 'pending']);
    expect([Number(await world.available(own)), await breaksOf(address)]).toEqual([25, []]);
  });

  it('holds back what is not booked yet', async () => {
    await setAdminLimit(world.api.database, '1');
    await setLimits(world.api.database, { dualControl: 'on' });
    const address = await paid('abc128');
    await setAdminLimit(world.api.database, '1000000000');
    const approvals = (await ida('approval', 'list', '--json')).json<{ id: string; subject: string }[]>();
    const { id } = await found(address);
    const approval = approvals.find(({ subject }) => subject === id)?.id ?? '';
    expect(await stateOf(address)).toEqual(['confirming', null, 'cleared']);
    const restore = undecided();
    await told(address);
    await ida('approval', 'approve', approval);
    await bob('approval', 'approve', approval);
    await world.looks();
    expect(await stateOf(address)).toEqual(['confirming', null, 'pending']);
    restore();
    await setLimits(world.api.database, { dualControl: 'off' });
    await world.lookAgain();
    expect((await stateOf(address)).slice(2)).toEqual(['pending']); // an older version does not count
  });
});

it('waits for nobody once the installation screens nothing', async () => {
  const address = await paid('bad004');
  const { screening } = world.api.services.parties;
  world.api.services.parties.screening = screeningLeftOut();
  await world.lookAgain();
  world.api.services.parties.screening = screening;
  expect(await decidedOn(address)).toEqual([null, null, false]);
});

it('shows each result and decision in the story', async () => {
  const address = await paid('bad003');
  pass(20);
  await told(address);
  await cleared(address);
  const { id } = await found(address);
  const { screenings, decisions } = (await ida('show', id, '--json')).json().lists;
  expect(screenings).toMatchObject([
    { key: `${id}-25000000`, status: 'pending', version: 1, decidedBy: null },
    { status: 'refused', reason: 'sanctions', score: '98', version: 2, decidedBy: null },
    { status: 'cleared', decidedBy: 'operator:bob' },
  ]);
  expect(decisions.map(({ decision }: { decision: string }) => decision)).toEqual([
    ...['screening_refused', 'confirmed', 'screening_cleared'],
  ]);
});

it('two looks at once ask for one screening, and credit once', async () => {
  const before = await available();
  const address = await paid('bad002');
  pass(20);
  await Promise.allSettled([world.lookAgain(), world.lookAgain()]);
  await world.lookAgain();
  expect(await stateOf(address)).toEqual(['credited', null, 'cleared']);
  expect(await available()).toBe(before + 25);
  const { id } = await found(address);
  const calls = `select key, calls from sandbox_orders where key like $1 || '%'`;
  expect(await world.api.database.query(calls, [id])).toEqual([{ key: `${id}-25000000`, calls: 1 }]);
});
