import { auditOf } from '../../../src/kernel/audit/audit';
import { checkLedger } from '../../../src/kernel/ledger/check';
import { readBlocks } from './operations/support';
import { type GasWorld, gasWorld } from './support';

let world: GasWorld;
let station: string;
beforeAll(async () => {
  world = await gasWorld();
  await world.configure();
  const made = await world.admin.call('POST', '/v1/gas-station/wallet/generate', { chain: 'local' });
  station = made.body.address;
});
afterAll(() => world.close());

const PATH = '/v1/gas-station/station-topups';
const scan = async (body: object = {}) =>
  (await world.admin.call('POST', `${PATH}/scan`, { chain: 'local', ...body })).body;
const list = async (query = '') => (await world.admin.call('GET', `${PATH}?${query}`)).body;
const mine = (blocks: number) => world.chain.client.mine({ blocks });
const milliEth = (amount: number) => BigInt(amount) * 10n ** 15n;
const amounts = (found: { amount: string }[]) => found.map(({ amount }) => Number(amount));

/** ETH in the books, by account. */
async function books(): Promise<Record<string, number>> {
  const rows = await world.api.database.query<{ account: string; sum: string }>(
    `select account_id as account, sum(available) as sum from ledger_legs where currency = 'ETH' group by 1`,
  );
  return Object.fromEntries(rows.map(({ account, sum }) => [account, Number(sum)]));
}

it('finds an arrival, and books it once it is final', async () => {
  const txHash = await world.chain.pay(null, station, milliEth(250));
  await world.chain.pay(world.token, station, 5_000_000n); // a token pays for no gas
  const early = await scan();
  expect([early.found, early.complete]).toEqual([[], true]);
  expect(early.waiting).toEqual([
    expect.objectContaining({ txHash, fromAddress: world.chain.payer, amount: `0.25${'0'.repeat(16)}` }),
  ]);
  expect(await books()).toEqual({});
  await mine(2);
  const { found, waiting } = await scan();
  expect(waiting).toEqual([]);
  expect(found).toEqual([
    expect.objectContaining({
      chain: 'local',
      address: station,
      txHash,
      fromAddress: world.chain.payer,
      asset: 'ETH',
      amount: `0.25${'0'.repeat(16)}`,
      paidBy: 'funding',
    }),
  ]);
  expect(await books()).toEqual({ 'station@local:ETH': -0.25, 'funding:ETH': 0.25 });
  expect((await scan()).found).toEqual([]);
  expect((await list()).data).toEqual(found);
  const lines = await auditOf(world.api.database, 'local', 20);
  expect(lines.filter(({ action }) => action === 'gas-station.scan')).toHaveLength(3);
});

it('books an arrival once, however many scans run and however often its block is read', async () => {
  for (const amount of [10, 20, 30]) await world.chain.pay(null, station, milliEth(amount));
  await mine(3);
  const scans = await Promise.all(Array.from({ length: 8 }, () => scan()));
  expect(amounts(scans.flatMap(({ found }) => found)).sort()).toEqual([0.01, 0.02, 0.03]);
  expect((await scan({ fromBlock: 0 })).found).toEqual([]);
  expect((await books())['station@local:ETH']).toBeCloseTo(-0.31, 12);
});

it('repeats the answer for the same idempotency key, whatever has become of the chain', async () => {
  const keyed = () =>
    world.admin.call('POST', `${PATH}/scan`, { chain: 'local' }, { 'x-idempotency-key': 'once' });
  const first = await keyed();
  await world.chain.pay(null, station, milliEth(1));
  await mine(3);
  const repeated = await keyed();
  expect([repeated.status, repeated.text]).toEqual([200, first.text]);
  expect(amounts((await scan()).found)).toEqual([0.001]);
});

it('recognises the treasury and our own stations as payers', async () => {
  const { client } = world.chain;
  await world.configure({ treasuryAddress: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC' });
  await client.impersonateAccount({ address: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC' });
  await client.sendTransaction({
    account: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
    to: station as `0x${string}`,
    value: milliEth(40),
  });
  await mine(3);
  expect((await scan()).found).toMatchObject([{ paidBy: 'treasury' }]);
  expect((await books())['treasury@local:ETH']).toBeCloseTo(0.04, 12);
});

it('finds arrivals from before the station was set, in a scan from an earlier block', async () => {
  const foreign = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';
  await world.chain.pay(null, foreign, milliEth(70));
  await mine(3);
  await world.admin.call('PUT', '/v1/gas-station/wallet', { chain: 'local', address: foreign });
  expect((await scan()).found).toEqual([]);
  expect(amounts((await scan({ fromBlock: 0 })).found)).toEqual([0.07]);
  await world.chain.pay(null, foreign, milliEth(5));
  await mine(3);
  expect(amounts((await scan()).found)).toEqual([0.005]);
});

it('continues with a chain that began anew', async () => {
  await world.api.database.query('update station_scans set scanned_to = 1000000');
  await mine(3);
  const { fromBlock, found, complete } = await scan();
  expect([fromBlock, found, complete]).toEqual([0, [], true]);
  expect((await scan()).fromBlock).toBeGreaterThan(5);
});

it('books nothing that a reorganisation removes before it is final', async () => {
  const snapshot = await world.chain.client.snapshot();
  await world.chain.pay(null, '0x90F79bf6EB2c4f870365E785982E1f101E93b906', milliEth(900));
  expect((await scan()).waiting).toHaveLength(1);
  await world.chain.client.revert({ id: snapshot });
  await mine(6);
  expect(await scan()).toMatchObject({ found: [], waiting: [] });
});

it("finds arrivals with the chain's blocks, without a scan", async () => {
  const { services } = world.api;
  await readBlocks(services); // begins at the head
  await world.chain.pay(null, '0x90F79bf6EB2c4f870365E785982E1f101E93b906', milliEth(3));
  await mine(3);
  expect(await readBlocks(services)).toBe(1);
  expect(await readBlocks(services)).toBe(0);
  expect((await scan()).found).toEqual([]);
});

it('lists top-ups by pages, and by chain', async () => {
  const { data } = await list('limit=100');
  expect(data.length).toBe(9);
  const first = await list('limit=3&chain=local');
  const rest = await list(`limit=100&cursor=${first.nextCursor}`);
  expect([...first.data, ...rest.data]).toEqual(data);
  expect((await list('chain=other')).data).toEqual([]);
});

it('refuses a chain without a station, an unknown network, and clients', async () => {
  const wrong = await world.admin.call('POST', `${PATH}/scan`, { chain: 'nowhere' });
  expect([wrong.status, wrong.body.field]).toEqual([404, 'chain']);
  expect((await world.admin.call('POST', `${PATH}/scan`, { chain: 'local', fromBlock: -1 })).body.field).toBe(
    'fromBlock',
  );
  await world.api.database.query(
    `update gas_configs set station_address = null, station_wallet_id = null where chain = 'local'`,
  );
  const without = await world.admin.call('POST', `${PATH}/scan`, { chain: 'local' });
  expect([without.status, without.body.code]).toEqual([409, 'invalid_transition']);
  const client = await world.api.client();
  expect((await client.call('GET', PATH)).status).toBe(403);
  expect((await client.call('POST', `${PATH}/scan`, { chain: 'local' })).status).toBe(403);
});

it('keeps the books balanced', async () => {
  expect(await checkLedger(world.api.database)).toEqual([]);
});
