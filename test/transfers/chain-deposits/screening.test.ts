/** @long */
import type { Hex } from 'viem';
import { checkLedger } from '../../../src/kernel/ledger/check';
import { bookDeposits } from '../../../src/transfers/chain-deposits/book';
import { receiveScreenings } from '../../../src/transfers/screened';
import { changesOf, screeningsOf } from '../../../src/transfers/screening/operations';
import { setLimits, type TestOperator } from '../../support/operator';
import { switchable } from '../../support/switchable';
import { ORDINARY, screenedWorld, UNITS } from './screened';
import type { World } from './support';

/** The sandbox's screening party over HTTP, with payers of magic addresses on a real chain. */

const on = screenedWorld();
const { sent, paid, found, stateOf, breaksOf, pass, told, sweepable } = on;
let world: World;
let [ida, bob] = [] as unknown as [TestOperator, TestOperator];
let account: string;
beforeAll(async () => {
  ({ world, account, ida, bob } = await on.open());
});
afterEach(async () => expect(await checkLedger(world.api.database)).toEqual([]));
afterAll(() => world.close());

it('credits a payment of an ordinary address in the same step, without a workflow', async () => {
  const before = world.api.commands.filter(({ workflow }) => workflow === 'chainDeposit').length;
  const address = await paid(ORDINARY);
  expect(await stateOf(address)).toEqual(['credited', null, 'cleared']);
  const commands = world.api.commands.filter(({ workflow }) => workflow === 'chainDeposit');
  expect(commands).toHaveLength(before);
  expect(await sweepable(address, 'allocated')).toBe(UNITS);
});

describe('a refused deposit', () => {
  let address: string;
  beforeAll(async () => {
    await setLimits(world.api.database, { dualControl: 'on' });
    address = await paid('bad001');
  });
  afterAll(() => setLimits(world.api.database, { dualControl: 'off' }));

  it('stands in suspense with a break, and sweeps leave its coins', async () => {
    expect(await stateOf(address)).toEqual(['uncredited', 'screening_refused', 'refused']);
    expect(await breaksOf(address)).toEqual([
      { kind: 'chain_deposit_refused', detail: 'before it was booked: 25000000 units, sanctions, version 1' },
      { kind: 'transfer_suspense', detail: expect.anything() },
    ]);
    expect([await sweepable(address, 'allocated'), await sweepable(address, 'available')]).toEqual([0n, 0n]);
    await world.lookAgain();
    expect(await stateOf(address)).toEqual(['uncredited', 'screening_refused', 'refused']);
  });

  it('is credited by two operators at any amount, and then swept', async () => {
    const { id } = await found(address);
    const before = Number(await world.available(account));
    const reason = ['--reason', 'the payer is known'];
    const asked = await ida('suspense', 'credit', id, '--account', account, ...reason, '--json');
    expect(asked.json()).toMatchObject({ approval: { needs: 1 } });
    expect(Number(await world.available(account))).toBe(before);
    expect((await bob('approval', 'approve', asked.json().approval.id)).code).toBe(0);
    expect(Number(await world.available(account))).toBe(before + 25);
    expect(await sweepable(address, 'allocated')).toBe(UNITS);
  });
});

it('leaves coins that are not final, so that nobody has judged them', async () => {
  const address = await sent('bad001', await world.wallet());
  await world.read();
  expect(await sweepable(address, 'available')).toBe(0n);
});

it('refuses money without an owner too, and sweeps leave it', async () => {
  const address = await paid('bad001', await world.wallet());
  expect(await stateOf(address)).toEqual(['uncredited', 'screening_refused', 'refused']);
  expect(await sweepable(address, 'available')).toBe(0n);
});

it.each([
  ['bad002', ['credited', null, 'cleared']],
  ['bad003', ['uncredited', 'screening_refused', 'refused']],
])(
  'a pending screening holds the deposit in `confirming` until the party reports (%s)',
  async (ending, end) => {
    const before = await world.available(account);
    const address = await paid(ending);
    expect(await stateOf(address)).toEqual(['confirming', null, 'pending']);
    expect(await sweepable(address, 'allocated')).toBe(0n);
    const listed = (await ida('screening', 'list', '--json')).json<{ id: string }[]>();
    expect(listed.map(({ id }) => id)).toContain((await found(address)).id);
    expect(await world.available(account)).toBe(before);
    pass(20);
    await told(address);
    expect(await stateOf(address)).toEqual(end);
  },
);

it('is polled, so that nothing depends on a report', async () => {
  const address = await paid('bad002');
  const { id } = await found(address);
  const text = 'select look_at is not null as timed from transfers where id = $1';
  expect(await world.api.database.query(text, [id])).toEqual([{ timed: true }]);
  pass(20);
  await world.lookAgain();
  expect(await stateOf(address)).toEqual(['credited', null, 'cleared']);
});

it('credits nothing while the party is away, and goes on when it is back', async () => {
  const address = await paid('bad005');
  expect(await stateOf(address)).toEqual(['confirming', null, 'pending']);
  await world.lookAgain();
  expect(await stateOf(address)).toEqual(['confirming', null, 'pending']);
  pass(30);
  await world.lookAgain();
  expect(await stateOf(address)).toEqual(['credited', null, 'cleared']);
  const { id } = await found(address);
  const changes = await changesOf(world.api.database, id, 10);
  // The first line is ours: the party has not answered.
  expect(changes.map(({ status, version }) => [status, version])).toEqual([
    ['pending', null],
    ['cleared', 1],
  ]);
});

it('asks again after a lost answer', async () => {
  const address = await paid('bad007');
  await world.lookAgain();
  expect(await stateOf(address)).toEqual(['credited', null, 'cleared']);
});

it('shows a refusal after the credit, and moves no money', async () => {
  const address = await paid('bad006');
  const after = await world.available(account);
  expect(await stateOf(address)).toEqual(['credited', null, 'cleared']);
  pass(60);
  await told(address);
  expect(await stateOf(address)).toEqual(['credited', null, 'refused']);
  const detail = 'after it was booked: 25000000 units, sanctions, version 2';
  expect(await breaksOf(address)).toEqual([{ kind: 'chain_deposit_refused', detail }]);
  expect(await world.available(account)).toBe(after);
  expect(await sweepable(address, 'allocated')).toBe(UNITS);
});

it('shows an unknown key of the party to a person', async () => {
  const { services, database } = world.api;
  await database.transaction((tx) => receiveScreenings(services, tx, ['nobody']));
  const text = `select kind from breaks where subject = 'nobody'`;
  expect(await database.query(text)).toEqual([{ kind: 'party_order_unknown' }]);
});

describe('a reorganisation', () => {
  /** Reverts the chain and mines other blocks instead. */
  async function reorganise(snapshot: Hex, blocks = 8): Promise<void> {
    await world.chain.client.revert({ id: snapshot });
    await world.chain.client.increaseTime({ seconds: 60 });
    await world.chain.client.mine({ blocks });
    await world.read();
    await world.chain.client.mine({ blocks });
    await world.read();
  }
  const keysOf = async (id: string) =>
    (await screeningsOf(world.api.database, id)).map(({ key, status }) => [key, status]);

  it('takes a deposit that is being screened, and nothing is booked when it is cleared', async () => {
    const to = await world.wallet(account);
    const before = await world.available(account);
    await world.read();
    const snapshot = await world.chain.client.snapshot();
    await paid('bad002', to);
    await reorganise(snapshot);
    pass(20);
    await told(to);
    expect((await stateOf(to))[0]).not.toBe('credited');
    expect(await world.available(account)).toBe(before);
    expect(await sweepable(to, 'available')).toBe(UNITS);
  });

  it('screens other units anew, and nothing is credited before they are cleared', async () => {
    const { chain, token } = world;
    const switches = switchable(world.api);
    const to = await world.wallet(account);
    const before = Number(await world.available(account));
    // The token takes a fee of 40 %, and no fee in the other branch of the chain.
    const dear = await chain.token({ feeBasisPoints: 4_000 });
    const bytecode = (await chain.client.getCode({ address: dear })) ?? '0x';
    await world.read();
    const snapshot = await chain.client.snapshot();
    await chain.client.setCode({ address: token, bytecode });
    const serializedTransaction = await chain.signed(await chain.pay(token, to, UNITS));
    await chain.client.mine({ blocks: 3 });
    await world.read();
    const { id } = await found(to);
    await reorganise(snapshot);
    await switches.stop('screening');
    await chain.mined(await chain.client.sendRawTransaction({ serializedTransaction }));
    await chain.client.mine({ blocks: 3 });
    await world.read();
    expect(await keysOf(id)).toEqual([
      [`${id}-15000000`, 'cleared'],
      [`${id}-25000000`, 'pending'],
    ]);
    expect([(await stateOf(to))[0], Number(await world.available(account))]).toEqual(['uncredited', before]);
    expect(await sweepable(to, 'available')).toBe(0n);
    await switches.start('screening');
    await world.lookAgain();
    expect((await keysOf(id))[1]).toEqual([`${id}-25000000`, 'cleared']);
    expect((await stateOf(to))[0]).toBe('credited');
    // The amount that was agreed first is credited, and the rest stands in suspense.
    expect(Number(await world.available(account))).toBe(before + 15);
  });

  it('asks once for a cleared deposit that comes back with the same amount', async () => {
    const to = await world.wallet(account);
    await world.read();
    const snapshot = await world.chain.client.snapshot();
    const serializedTransaction = await world.chain.signed(await world.chain.pay(world.token, to, UNITS));
    await world.chain.client.mine({ blocks: 3 });
    await world.read();
    const { id } = await found(to);
    const first = await keysOf(id);
    await reorganise(snapshot);
    expect((await stateOf(to)).slice(0, 2)).toEqual(['uncredited', 'reversed_on_chain']);
    await world.chain.mined(await world.chain.client.sendRawTransaction({ serializedTransaction }));
    await world.chain.client.mine({ blocks: 3 });
    await world.read();
    expect((await stateOf(to)).slice(0, 2)).toEqual(['credited', null]);
    expect(await keysOf(id)).toEqual(first);
  });
});

it('asks for many deposits of a block at once, and books the cleared ones together', async () => {
  const wallets = [];
  for (const ending of [ORDINARY, 'bad004', ORDINARY, 'bad001', ORDINARY]) wallets.push(await sent(ending));
  await world.chain.client.mine({ blocks: 3 });
  await world.read();
  const ids = await Promise.all(wallets.map(async (address) => (await found(address)).id));
  await bookDeposits(world.api.services, ids);
  const states = await Promise.all(wallets.map(stateOf));
  expect(states.map(([status, , result]) => [status, result])).toEqual([
    ['credited', 'cleared'],
    ['confirming', 'pending'],
    ['credited', 'cleared'],
    ['uncredited', 'refused'],
    ['credited', 'cleared'],
  ]);
});
