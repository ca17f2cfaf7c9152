import { randomBytes } from 'node:crypto';
import { checkLedger } from '../../../src/kernel/ledger/check';
import { testKeyring } from '../../support/keyring';
import { operatorOf, setAdminLimit, setLimits, type TestOperator } from '../../support/operator';
import { openWorld, type World } from './support';

const masterKey = randomBytes(32);
let world: World;
let [ida, bob] = [] as unknown as [TestOperator, TestOperator];
beforeAll(async () => {
  world = await openWorld({ keyring: testKeyring(masterKey) });
  ida = await operatorOf(world.api, masterKey, {}, 'ida');
  bob = await operatorOf(world.api, masterKey, {}, 'bob');
  await keepRatesAsTheyAre();
  await world.read();
});

/**
 * The product reads rates again when they are a minute old, and stores them. On a busy machine a test may take longer, so its rates
 * never grow old and are never replaced.
 */
async function keepRatesAsTheyAre(): Promise<void> {
  const { database } = world.api;
  await database.query('update counting_rates set fresh_until = null');
  await database.query(
    `create function no_other_rates() returns trigger language plpgsql as 'begin return null; end'`,
  );
  await database.query(
    `create trigger no_other_rates before insert on counting_rates
       for each row execute function no_other_rates()`,
  );
}

beforeEach(() => setLimits(world.api.database, { dualControl: 'on' }));
afterEach(async () => expect(await checkLedger(world.api.database)).toEqual([]));
afterAll(() => world.close());

const MILLION = 1_000_000n * 10n ** 6n;

/** A final transfer to a new wallet of the account. */
async function paid(account: string | undefined, units: bigint): Promise<string> {
  const { chain, token } = world;
  const address = await world.wallet(account);
  await chain.pay(token, address, units);
  await chain.client.mine({ blocks: 3 });
  await world.read();
  return (await found(address)).id;
}

const found = async (key: string) => {
  const all = await world.deposits();
  return all.find(({ id, terms }) => id === key || terms['address'] === key) as (typeof all)[number];
};
const statusOf = async (id: string) => (await found(id)).status;
const pendingOf = async (id: string) => {
  const listed = await ida('approval', 'list', '--json');
  return listed.json<{ id: string; subject: string }[]>().filter(({ subject }) => subject === id);
};

it('holds 50,000,000 that a node reports in `confirming` until two operators approve', async () => {
  const account = await world.account();
  const before = await world.available(account);
  const id = await paid(account, 50n * MILLION);
  expect([await statusOf(id), await world.available(account)]).toEqual(['confirming', before]);
  const pending = await pendingOf(id);
  expect(pending).toMatchObject([
    { kind: 'chain-deposit.credit', amount: '50000000.000000', currency: 'USDT', needs: 2 },
  ]);
  await world.lookAgain();
  await world.lookAgain();
  expect(await pendingOf(id)).toHaveLength(1);
  const [{ id: approval }] = pending as [{ id: string; subject: string }];
  expect((await ida('approval', 'approve', approval)).text).toContain('needs one more operator');
  expect((await ida('approval', 'approve', approval)).code).toBe(4);
  await world.lookAgain();
  expect(await statusOf(id)).toBe('confirming');
  expect((await bob('approval', 'approve', approval)).code).toBe(0);
  expect(await statusOf(id)).toBe('credited');
  expect(Number(await world.available(account)) - Number(before)).toBe(50_000_000);
});

it('credits exactly the limit without a person, and nothing above it', async () => {
  const account = await world.account();
  expect(await statusOf(await paid(account, MILLION))).toBe('credited');
  const above = await paid(account, MILLION + 1n);
  expect(await statusOf(above)).toBe('confirming');
  await setAdminLimit(world.api.database, '10');
  expect(await statusOf(await paid(account, 11_000_000n))).toBe('confirming');
  await setAdminLimit(world.api.database, '1000000');
});

it('needs two operators when there is no fresh rate', async () => {
  const { database } = world.api;
  const [kept] = await database.query<{ rate: string }>(`select mids ->> 'USDT' as rate from counting_rates`);
  await database.query(`update counting_rates set mids = mids - 'USDT'`);
  const id = await paid(await world.account(), 5_000_000n);
  await database.query(`update counting_rates set mids = mids || jsonb_build_object('USDT', $1::text)`, [
    kept!.rate,
  ]);
  expect(await statusOf(id)).toBe('confirming');
  expect(await pendingOf(id)).toHaveLength(1);
});

it('books money without an owner in suspense, without an approval', async () => {
  expect(await statusOf(await paid(undefined, 2n * MILLION))).toBe('uncredited');
});

it('an operator can ask for it again after a rejection', async () => {
  const id = await paid(await world.account(), 3n * MILLION);
  const [{ id: approval }] = (await pendingOf(id)) as [{ id: string; subject: string }];
  expect((await ida('approval', 'reject', approval, '--reason', 'who pays this?')).code).toBe(0);
  await world.lookAgain();
  expect([await statusOf(id), await pendingOf(id)]).toEqual(['confirming', []]);
  const reason = ['--reason', 'the client has shown the contract'];
  const asked = await ida('chain-deposit', 'credit', id, ...reason, '--json');
  expect(asked.json()).toMatchObject({ approval: { requestedBy: 'operator:ida', needs: 1 } });
  const { approval: again } = asked.json();
  expect((await ida('approval', 'approve', again.id)).code).toBe(4);
  expect((await bob('approval', 'approve', again.id)).code).toBe(0);
  expect(await statusOf(id)).toBe('credited');
  const late = await ida('chain-deposit', 'credit', id, ...reason);
  expect([late.code, late.err]).toEqual([4, expect.stringContaining('does not wait')]);
});

it('credits at once without dual control', async () => {
  await setLimits(world.api.database, { dualControl: 'off' });
  expect(await statusOf(await paid(await world.account(), 2n * MILLION))).toBe('credited');
});
