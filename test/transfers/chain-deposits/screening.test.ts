import { randomBytes } from 'node:crypto';
import type { Address, Hex } from 'viem';
import { boundByBooks } from '../../../src/chain/gas-station/booked-bound';
import { checkLedger } from '../../../src/kernel/ledger/check';
import { bookDeposits } from '../../../src/transfers/chain-deposits/book';
import { receiveScreenings } from '../../../src/transfers/screened';
import { screeningsOf } from '../../../src/transfers/screening/operations';
import { testKeyring } from '../../support/keyring';
import { operatorOf, setLimits, type TestOperator } from '../../support/operator';
import { openWorld, type World } from './support';

/** The sandbox's screening party over HTTP, with payers of magic addresses on a real chain. */

const masterKey = randomBytes(32);
const clock = { aheadMs: 0 };
let world: World;
let [ida, bob] = [] as unknown as [TestOperator, TestOperator];
let account: string;
beforeAll(async () => {
  world = await openWorld({
    keyring: testKeyring(masterKey),
    now: () => new Date(Date.now() + clock.aheadMs),
  });
  ida = await operatorOf(world.api, masterKey, {}, 'ida');
  bob = await operatorOf(world.api, masterKey, {}, 'bob');
  account = await world.account();
  await world.read();
});
afterEach(async () => expect(await checkLedger(world.api.database)).toEqual([]));
afterAll(() => world.close());

const UNITS = 25_000_000n;
const ORDINARY = 'abc123';

/** Sends 25 USDT from an address with this ending. @returns the wallet */
async function sent(ending: string, to?: string): Promise<string> {
  const { chain, token } = world;
  const address = to ?? (await world.wallet(account));
  const from: Address = `0x${'7'.repeat(34)}${ending}`;
  await chain.client.setBalance({ address: from, value: 10n ** 18n });
  await chain.client.impersonateAccount({ address: from });
  await chain.mined(await chain.write(token, 'TestUsdt', 'mint', [from, UNITS]));
  await chain.mined(await chain.write(token, 'TestUsdt', 'transfer', [address, UNITS], from as never));
  return address;
}

/** A final transfer from an address with this ending. @returns the wallet */
async function paid(ending: string, to?: string): Promise<string> {
  const address = await sent(ending, to);
  await world.chain.client.mine({ blocks: 3 });
  await world.read();
  return address;
}

const found = async (address: string) => {
  const all = await world.deposits();
  return all.find(({ terms }) => terms['address'] === address) as (typeof all)[number];
};
const stateOf = async (address: string) => {
  const { id, status, failure } = await found(address);
  const [screening] = await screeningsOf(world.api.database, id);
  return [status, failure, screening?.status];
};
const breaksOf = async (address: string) => {
  const { id } = await found(address);
  const text = `select kind, detail from breaks where subject = $1 and resolved_at is null order by kind`;
  return world.api.database.query<{ kind: string; detail: string }>(text, [id]);
};
const pass = (seconds: number): void => void (clock.aheadMs += seconds * 1_000);

/** The party's report, as its list or a callback brings it. */
async function told(address: string): Promise<void> {
  const { services, database } = world.api;
  const { id } = await found(address);
  const keys = (await screeningsOf(database, id)).map(({ key }) => key);
  await database.transaction((tx) => receiveScreenings(services, tx, keys));
  await world.looks();
}

const sweepable = async (address: string, status: 'allocated' | 'available') => {
  const bound = await boundByBooks(world.api.database, 'local', { symbol: 'USDT', decimals: 6 }, [
    { address, status },
  ]);
  return bound({ address, status }, UNITS);
};

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
      { kind: 'chain_deposit_refused', detail: 'before it was booked' },
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
  expect(await breaksOf(address)).toEqual([{ kind: 'chain_deposit_refused', detail: 'after it was booked' }]);
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
