import { auditOf } from '../../../src/kernel/audit/audit';
import { listBreaks } from '../../../src/process/breaks/operations';
import { type GasWorld, gasWorld, TERMS, TREASURY } from './support';

let world: GasWorld;
beforeAll(async () => {
  world = await gasWorld();
});
afterAll(() => world.close());

const PATH = '/v1/gas-station/config/local';
const put = (body: object, path = PATH) => world.admin.call('PUT', path, body);

it('shows version 0 before anything was set, and saves only under the version that was read', async () => {
  const { body: before } = await world.admin.call('GET', PATH);
  expect(before).toEqual({
    chain: 'local',
    gasThreshold: `0.${'0'.repeat(18)}`,
    gasTopupAmount: `0.${'0'.repeat(18)}`,
    minSweepAmount: {},
    sweepConfirmations: 3,
    autoSweep: false,
    version: 0,
    sweepStrategy: 'transfer',
  });
  const terms = {
    ...TERMS,
    maxGasPrice: '30.5',
    dailyGasBudget: '1',
    treasuryAddress: TREASURY.toLowerCase(),
  };
  const { status, body } = await put({ ...terms, version: 0 });
  expect(status).toBe(200);
  expect(body).toEqual({
    chain: 'local',
    sweepStrategy: 'transfer',
    gasThreshold: `0.001${'0'.repeat(15)}`,
    gasTopupAmount: `0.01${'0'.repeat(16)}`,
    maxGasPrice: '30.5',
    dailyGasBudget: `1.${'0'.repeat(18)}`,
    minSweepAmount: { USDT: '5.000000' },
    treasuryAddress: TREASURY,
    sweepConfirmations: 2,
    autoSweep: false,
    version: 1,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  });
  expect((await world.admin.call('GET', PATH)).body).toEqual(body);
  const stale = await put({ ...terms, version: 0 });
  expect([stale.status, stale.body.code, stale.body.field]).toEqual([409, 'version_conflict', 'version']);
  const { body: less } = await put({ ...TERMS, maxGasPrice: null, treasuryAddress: null, version: 1 });
  expect(less).not.toHaveProperty('maxGasPrice');
  expect(less).not.toHaveProperty('treasuryAddress');
  expect(less.version).toBe(2);
  const lines = await auditOf(world.api.database, 'local', 10);
  expect(lines.map(({ action }) => action)).toEqual(['gas-station.config', 'gas-station.config']);
  expect(lines[1]).toMatchObject({ before: body, after: less });
});

it.each([
  [{ gasThreshold: 1 }, 'gasThreshold'],
  [{ gasThreshold: '0.0000000000000000001' }, 'gasThreshold'],
  [{ gasTopupAmount: '0' }, 'gasTopupAmount'],
  [{ gasTopupAmount: '0.0001' }, 'gasTopupAmount'],
  [{ maxGasPrice: '0.0000000001' }, 'maxGasPrice'],
  [{ minSweepAmount: { USDT: '0.0000001' } }, 'minSweepAmount.USDT'],
  [{ minSweepAmount: { USDC: '1' } }, 'minSweepAmount.USDC'],
  [{ treasuryAddress: '0x1234' }, 'treasuryAddress'],
  [{ treasuryAddress: TREASURY.replace('C8', 'c8') }, 'treasuryAddress'],
  [{ sweepConfirmations: 0 }, 'sweepConfirmations'],
  [{ autoSweep: 'yes' }, 'autoSweep'],
  [{ autoSweep: true, dailyGasBudget: '1' }, 'maxGasPrice'],
  [{ autoSweep: true, maxGasPrice: '30' }, 'dailyGasBudget'],
  [{ sweepStrategy: 'cheapest' }, 'sweepStrategy'],
  [{ stationAddress: TREASURY }, 'stationAddress'],
])('refuses %j, naming the field', async (wrong, field) => {
  const { version } = (await world.admin.call('GET', PATH)).body;
  const { status, body } = await put({ ...TERMS, version, ...wrong });
  expect([status, body.code, body.field]).toEqual([400, 'invalid_request', field]);
  expect((await world.admin.call('GET', PATH)).body.version).toBe(version);
});

it('refuses our own addresses as the treasury', async () => {
  const { version } = (await world.admin.call('GET', PATH)).body;
  const { address } = await world.wallet();
  const pool = await put({ ...TERMS, treasuryAddress: address, version });
  expect([pool.status, pool.body.field]).toEqual([400, 'treasuryAddress']);
  const foreign = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
  await world.admin.call('PUT', '/v1/gas-station/wallet', { chain: 'local', address: foreign });
  const station = await put({ ...TERMS, treasuryAddress: foreign, version });
  expect([station.status, station.body.field]).toEqual([400, 'treasuryAddress']);
});

it.each(['0x0000000000000000000000000000000000000000', 'token'])(
  'refuses %s as treasury or station, because its money would be lost',
  async (what) => {
    const { version } = (await world.admin.call('GET', PATH)).body;
    const address = what === 'token' ? world.token : what;
    const treasury = await put({ ...TERMS, treasuryAddress: address, version });
    expect([treasury.status, treasury.body.field]).toEqual([400, 'treasuryAddress']);
    const station = await world.admin.call('PUT', '/v1/gas-station/wallet', { chain: 'local', address });
    expect([station.status, station.body.field]).toEqual([400, 'address']);
  },
);

it('opens a break for each change of the treasury; open operations keep theirs', async () => {
  const [one, other] = [TREASURY, '0x90F79bf6EB2c4f870365E785982E1f101E93b906'];
  const shown = async () =>
    (await listBreaks(world.api.database, { kind: 'gas_treasury_changed', limit: 100 })).map(
      ({ subject, detail }) => `${subject} ${detail.replace(/^version \d+: /, '')}`,
    );
  await world.configure({ treasuryAddress: one, gasThreshold: '0' });
  const { id, address } = await world.wallet();
  await world.chain.pay(world.token, address, 9_000_000n);
  await world.chain.pay(null, address, 10n ** 17n);
  const path = '/v1/gas-station/operations';
  const made = await world.admin.call('POST', path, { walletId: id, asset: 'USDT' });
  const before = await shown();
  await world.configure({ treasuryAddress: one.toLowerCase(), gasThreshold: '0.002' });
  expect(await shown()).toEqual(before);
  for (const treasuryAddress of [other, one, other]) await world.configure({ treasuryAddress });
  await world.configure({ treasuryAddress: null });
  expect((await shown()).slice(before.length)).toEqual([
    ...[`chain:local ${one} -> ${other}`, `chain:local ${other} -> ${one}`],
    ...[`chain:local ${one} -> ${other}`, `chain:local ${other} -> none`],
  ]);
  const lines = (await auditOf(world.api.database, 'local', 100)).slice(-2);
  expect(lines).toMatchObject([
    { before: { treasuryAddress: one }, after: { treasuryAddress: other } },
    { before: { treasuryAddress: other }, after: {} },
  ]);
  const { transactions } = (await world.admin.call('GET', `${path}/${made.body.id}/export`)).body;
  expect(made.body.to).toBe(one);
  expect(transactions[0].data).toContain(one.slice(2).toLowerCase());
});

it('keeps absent fields, and clears null fields', async () => {
  await world.configure({
    sweepStrategy: 'delegated',
    maxGasPrice: '5',
    dailyGasBudget: '1',
    autoSweep: true,
  });
  const before = (await world.admin.call('GET', PATH)).body;
  const kept = await put({ gasThreshold: '0.002', version: before.version });
  const version = before.version + 1;
  expect([kept.status, kept.body]).toEqual([
    200,
    { ...before, gasThreshold: '0.002000000000000000', version, updatedAt: expect.any(String) },
  ]);
  const nulls = { sweepStrategy: null, maxGasPrice: null, dailyGasBudget: null, minSweepAmount: null };
  const cleared = await put({ ...nulls, autoSweep: null, treasuryAddress: null, version });
  const { maxGasPrice: _, dailyGasBudget: __, treasuryAddress: ___, ...rest } = kept.body;
  expect([cleared.status, cleared.body]).toEqual([
    200,
    {
      ...rest,
      sweepStrategy: 'transfer',
      minSweepAmount: {},
      autoSweep: false,
      version: version + 1,
      updatedAt: expect.any(String),
    },
  ]);
  const { body } = await put({ gasTopupAmount: null, version: version + 1 });
  expect(body).toMatchObject({ code: 'invalid_request', field: 'gasTopupAmount' });
});

it.each(['maxGasPrice', 'dailyGasBudget'])('requires %s while automatic sweeps are on', async (cap) => {
  await world.configure({ maxGasPrice: '5', dailyGasBudget: '1', autoSweep: true });
  const before = (await world.admin.call('GET', PATH)).body;
  const { status, body } = await put({ [cap]: null, version: before.version });
  expect([status, body.code, body.field]).toEqual([400, 'invalid_request', cap]);
  expect((await world.admin.call('GET', PATH)).body).toEqual(before);
  const off = await put({ [cap]: null, autoSweep: false, version: before.version });
  expect([off.status, off.body]).toMatchObject([200, { autoSweep: false }]);
  const on = await put({ autoSweep: true, version: before.version + 1 });
  expect([on.status, on.body.field]).toEqual([400, cap]);
});

it('lets one of two changes of the same version win', async () => {
  const { version } = (await world.admin.call('GET', PATH)).body;
  const both = await Promise.all([put({ ...TERMS, version }), put({ ...TERMS, version })]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
});

it('serves only operators, and only known networks', async () => {
  const client = await world.api.client();
  expect((await client.call('GET', PATH)).status).toBe(403);
  expect((await client.call('PUT', PATH, { ...TERMS, version: 0 })).status).toBe(403);
  expect((await world.admin.call('GET', '/v1/gas-station/config/nowhere')).status).toBe(404);
  expect((await put({ ...TERMS, version: 0 }, '/v1/gas-station/config/nowhere')).status).toBe(404);
});
