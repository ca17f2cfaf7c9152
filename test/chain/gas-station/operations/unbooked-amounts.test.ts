import { orderAutoSweeps } from '../../../../src/chain/gas-station/auto-sweep';
import { compareChain } from '../../../../src/chain/reconciliation/compare';
import { keepChainReading } from '../../../../src/chain/reconciliation/readings';
import { attempts, feesOf, readBlocks, type TestStation, testStation, unitsOf } from './support';

/** Amounts of a station that are not in the books, but are shown. */

describe('on a chain whose native coin has no ledger currency', () => {
  let world: TestStation;
  beforeAll(async () => {
    world = await testStation({ config: { autoSweep: true } });
  });
  afterAll(() => world.close());

  it('shows the cost of gas with the operations, and says that it is not booked', async () => {
    const { services, admin } = world;
    expect((await statusOf(world)).gasBooked).toBe(true);
    await services.database.query(
      `update networks set assets = (select jsonb_agg(a) from jsonb_array_elements(assets) a where a->>'symbol' <> 'ETH')`,
    );
    const swept = await world.wallets(1, 2_000_000n, '0.01');
    const { id } = await world.sweep(swept[0]!.id);
    expect(await world.lead(id)).toMatchObject({ status: 'completed' });
    const failing = await world.wallets(1, 2_000_000n, '0.01');
    const { id: reverted } = await world.sweep(failing[0]!.id);
    await world.chain.client.setAutomine(false);
    await world.advance(reverted);
    const code = (await world.chain.client.getCode({ address: world.token }))!;
    await world.chain.client.setCode({ address: world.token, bytecode: '0xfe' });
    await world.chain.client.mine({ blocks: 1 });
    expect(await world.lead(reverted)).toMatchObject({ status: 'failed' });
    await world.chain.client.setCode({ address: world.token, bytecode: code });
    await world.chain.client.setAutomine(true);
    const hashes = [...(await attempts(world, id)), ...(await attempts(world, reverted))].map(
      ({ hash }) => hash!,
    );
    const { gasBooked, nativeAsset, dailyGasBudget } = await statusOf(world);
    expect({ gasBooked, nativeAsset }).toEqual({ gasBooked: false, nativeAsset: undefined });
    expect(unitsOf(dailyGasBudget.spent)).toBe(await feesOf(world.chain, hashes));
    expect((await admin.call('GET', `/v1/gas-station/operations/${id}`)).body.fee).toMatch(/^0\.0*[1-9]/);
    expect(await world.held('gas', 'ETH')).toBe('0');
    const { isGasBooked, lines } = await compareChain(world.api.services, 'local');
    expect(isGasBooked).toBe(false);
    expect(lines.map(({ asset }) => asset)).not.toContain('ETH');
    // Such a chain has no station to read, which is no failure.
    const said: string[] = [];
    const log = { ...services.log, error: (_: unknown, text: string) => void said.push(text) };
    expect(await readBlocks({ ...services, log: log as typeof services.log })).toBe(0);
    expect(said).toEqual([]);
  });
});

describe('dust on wallets', () => {
  let world: TestStation;
  beforeAll(async () => {
    world = await testStation({ config: { autoSweep: true }, token: { decimals: 18 } });
  });
  afterAll(() => world.close());

  const usdt = (units: string) => BigInt(units.replace('.', ''));
  const dustOf = async () =>
    (await statusOf(world)).dust.find((each: { asset: string }) => each.asset === 'USDT');

  it("shows the sum, with the part below the ledger's decimals, and a sweep takes both", async () => {
    const read = () => keepChainReading(world.api.services, 'local');
    expect((await statusOf(world)).dust).toEqual([]);
    const [wallet] = await world.wallets(1, usdt('0.999999300000000000'), '0.002');
    await world.wallets(1, usdt('5.000000400000000001'), '0.002');
    const dust = { belowMinimum: '0.999999300000000000', belowLedger: '0.000000700000000001' };
    // The status shows the last reading and its time, and reads no wallets itself.
    expect((await statusOf(world)).dust).toEqual([]);
    await read();
    const found = await dustOf();
    expect(found).toEqual({ asset: 'USDT', ...dust, asOf: expect.any(String) });
    expect(await orderAutoSweeps(world.services)).toBe(1);
    await world.chain.pay(world.token, wallet!.address, usdt('1.000000000000000002'));
    expect(await dustOf()).toEqual(found);
    await read();
    expect((await dustOf()).belowMinimum).toBe('0.000000000000000000');
    const { id } = await world.sweep(wallet!.id);
    expect(await world.lead(id)).toMatchObject({ status: 'completed' });
    expect(await world.tokens(wallet!.address)).toBe(0n);
    expect(await world.read(id)).toMatchObject({ movedAmount: '1.999999300000000002' });
  });
});

const statusOf = async ({ admin }: TestStation) =>
  (await admin.call('GET', '/v1/gas-station/status/local')).body;
