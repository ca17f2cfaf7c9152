import { auditOf } from '../../../src/kernel/audit/audit';
import { type GasWorld, gasWorld, TREASURY } from './support';

let world: GasWorld;
beforeAll(async () => {
  world = await gasWorld();
  await world.configure();
});
afterAll(() => world.close());

const GENERATE = '/v1/gas-station/wallet/generate';
const FOREIGN = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const set = (address: string, chain = 'local') =>
  world.admin.call('PUT', '/v1/gas-station/wallet', { chain, address });
const station = async () => (await world.admin.call('GET', '/v1/gas-station/status/local')).body.station;

it('generates a station, which becomes the present one when there is none', async () => {
  expect(await station()).toBeUndefined();
  const { status, body: first } = await world.admin.call('POST', GENERATE, { chain: 'local' });
  expect(status).toBe(201);
  expect(first).toMatchObject({ chain: 'local', purpose: 'station', status: 'available', isStation: true });
  expect(await station()).toEqual({
    chain: 'local',
    address: first.address,
    walletId: first.id,
    execution: 'local',
    balance: `0.${'0'.repeat(18)}`,
  });
  const { body: second } = await world.admin.call('POST', GENERATE, { chain: 'local' });
  expect(second).toMatchObject({ purpose: 'station', isStation: false });
  expect((await station()).address).toBe(first.address);
  const { body } = await set(second.address.toLowerCase());
  expect(body).toEqual({
    chain: 'local',
    address: second.address,
    walletId: second.id,
    execution: 'local',
  });
  await set(first.address);
});

it('accepts an address with a foreign key, and refuses pool wallets, the treasury and other chains', async () => {
  const { address: before } = await station();
  const { body } = await set(FOREIGN);
  expect(body).toEqual({ chain: 'local', address: FOREIGN, execution: 'manual' });
  const { address: pooled } = await world.wallet();
  for (const wrong of [pooled, TREASURY, '0x12', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t']) {
    const { status, body } = await set(wrong);
    expect([wrong, status, body.field]).toEqual([wrong, 400, 'address']);
  }
  const nowhere = await set(FOREIGN, 'nowhere');
  expect([nowhere.status, nowhere.body.field]).toEqual([404, 'chain']);
  const lines = (await auditOf(world.api.database, 'local', 10)).filter(
    ({ action }) => action === 'gas-station.wallet',
  );
  expect(lines.at(-1)).toMatchObject({ before: { address: before }, after: { address: FOREIGN } });
});

it('generates pool wallets, and lists all wallets', async () => {
  const { status, body } = await world.admin.call('POST', '/v1/gas-station/generate', {
    chain: 'local',
    count: 3,
  });
  expect([status, body.data.length, body.nextCursor]).toEqual([201, 3, null]);
  for (const count of [0, 101, 1.5, '3', undefined]) {
    const refused = await world.admin.call('POST', '/v1/gas-station/generate', { chain: 'local', count });
    expect([count, refused.status, refused.body.field]).toEqual([count, 400, 'count']);
  }
  const list = async (query: string) =>
    (await world.admin.call('GET', `/v1/gas-station/wallets?${query}`)).body;
  const made = body.data.map(({ id }: { id: string }) => id).sort();
  const first = await list('chain=local&purpose=pool&status=available&limit=2');
  const rest = await list(`purpose=pool&limit=100&cursor=${first.nextCursor}`);
  expect([first.data.length, first.hasMore, rest.hasMore]).toEqual([2, true, false]);
  const seen = [...first.data, ...rest.data].map(({ id }: { id: string }) => id);
  expect(seen.slice(0, 3).sort()).toEqual(made);
  expect((await list('purpose=station')).data).toHaveLength(2);
  expect((await list('chain=nowhere')).data).toEqual([]);
  expect((await list('status=disabled')).data).toEqual([]);
  // By its address, in any spelling.
  const [wallet] = body.data;
  for (const address of [wallet.address, wallet.address.toLowerCase()])
    expect((await list(`address=${address}`)).data).toEqual([wallet]);
  expect((await list(`address=${FOREIGN}`)).data).toEqual([]);
  const malformed = await world.admin.call('GET', '/v1/gas-station/wallets?address=0x12');
  expect([malformed.status, malformed.body.field]).toEqual([400, 'address']);
});

it("shows the gas price, the rest of the budget and the station's balance", async () => {
  const { body: made } = await world.admin.call('POST', GENERATE, { chain: 'local' });
  await set(made.address);
  await world.chain.pay(null, made.address, 5n * 10n ** 17n);
  await world.configure({ maxGasPrice: '0.1', dailyGasBudget: '0.25' });
  const { body } = await world.admin.call('GET', '/v1/gas-station/status/local');
  expect(body).toMatchObject({
    chain: 'local',
    nativeAsset: 'ETH',
    station: { address: made.address, balance: `0.5${'0'.repeat(17)}` },
    gasPrice: { max: '0.1', withinCap: false },
    dailyGasBudget: {
      budget: `0.25${'0'.repeat(16)}`,
      spent: `0.${'0'.repeat(18)}`,
      left: `0.25${'0'.repeat(16)}`,
    },
    openOperations: { sweep: 0, topup: 0 },
    config: { maxGasPrice: '0.1' },
  });
  expect(Number(body.gasPrice.current)).toBeGreaterThanOrEqual(Number(body.gasPrice.baseFee));
  await world.configure({ maxGasPrice: '1000' });
  expect((await world.admin.call('GET', '/v1/gas-station/status/local')).body.gasPrice.withinCap).toBe(true);
});

it('serves only the operator', async () => {
  const client = await world.api.client();
  for (const [method, path, body] of [
    ['GET', '/v1/gas-station/wallets', undefined],
    ['GET', '/v1/gas-station/status/local', undefined],
    ['POST', '/v1/gas-station/generate', { chain: 'local', count: 1 }],
    ['POST', GENERATE, { chain: 'local' }],
    ['PUT', '/v1/gas-station/wallet', { chain: 'local', address: FOREIGN }],
  ] as const)
    expect([path, (await client.call(method, path, body)).status]).toEqual([path, 403]);
});

it('sets a station while the chain is away, and answers 503 where the chain is needed', async () => {
  await world.chain.stop();
  const { status, body } = await world.admin.call('POST', GENERATE, { chain: 'local' });
  expect([status, (await set(body.address)).status]).toEqual([201, 200]);
  for (const path of ['status/local', 'sweep-candidates', 'topup-candidates?chain=local']) {
    const away = await world.admin.call('GET', `/v1/gas-station/${path}`);
    expect([path, away.status, away.body.code]).toEqual([path, 503, 'unavailable']);
    expect(away.text).not.toContain(world.chain.url);
  }
  const scan = await world.admin.call('POST', '/v1/gas-station/station-topups/scan', { chain: 'local' });
  expect([scan.status, scan.body.code]).toEqual([503, 'unavailable']);
});
