import { type GasWorld, gasWorld } from './support';

let world: GasWorld;
beforeAll(async () => {
  world = await gasWorld();
  await world.configure();
});
afterAll(() => world.close());

const list = async (kind: 'sweep' | 'topup', query = 'chain=local') =>
  (await world.admin.call('GET', `/v1/gas-station/${kind}-candidates?${query}`)).body.data;
const preflight = async (id: string, query = '') =>
  (await world.admin.call('GET', `/v1/gas-station/sweep-preflight/${id}${query}`)).body;
const failing = ({ checks }: { checks: { name: string; ok: boolean }[] }) =>
  checks.filter(({ ok }) => !ok).map(({ name }) => name);
const usdt = (amount: number) => BigInt(amount * 1_000_000);
const milliEth = (amount: number) => BigInt(amount) * 10n ** 15n;
/** Sets a wallet's status directly, because these tests only read it. */
const become = (id: string, status: string) =>
  world.api.database.query(
    `update wallets set status = $2, quarantined_until = case when $2 = 'quarantined' then now() end where id = $1`,
    [id, status],
  );

it('lists wallets with enough of an asset, and among them those without enough gas', async () => {
  const [rich, poor, dust, fuelled] = await Promise.all([1, 2, 3, 4].map(() => world.wallet()));
  if (!rich || !poor || !dust || !fuelled) throw new Error('no wallets');
  await world.chain.pay(world.token, rich.address, usdt(25.5));
  await world.chain.pay(world.token, poor.address, usdt(5));
  await world.chain.pay(world.token, dust.address, usdt(4.999999));
  await world.chain.pay(world.token, fuelled.address, usdt(100));
  await world.chain.pay(null, fuelled.address, milliEth(2));
  const found = await list('sweep');
  const byWallet = new Map(found.map((each: { walletId: string }) => [each.walletId, each]));
  expect([...byWallet.keys()].sort()).toEqual([rich.id, poor.id, fuelled.id].sort());
  expect(byWallet.get(rich.id)).toEqual({
    walletId: rich.id,
    chain: 'local',
    address: rich.address,
    status: 'available',
    asset: 'USDT',
    balance: '25.500000',
    sweepable: '25.500000',
    minSweepAmount: '5.000000',
    gasBalance: `0.${'0'.repeat(18)}`,
    needsGas: true,
    createdAt: expect.any(String),
  });
  expect(byWallet.get(fuelled.id)).toMatchObject({ needsGas: false, gasBalance: `0.002${'0'.repeat(15)}` });
  expect(await list('topup')).toEqual(
    expect.arrayContaining([
      {
        walletId: poor.id,
        chain: 'local',
        address: poor.address,
        status: 'available',
        gasBalance: `0.${'0'.repeat(18)}`,
        gasThreshold: `0.001${'0'.repeat(15)}`,
        topupAmount: `0.01${'0'.repeat(16)}`,
        createdAt: expect.any(String),
        assets: [{ asset: 'USDT', balance: '5.000000' }],
      },
    ]),
  );
  expect(await list('topup')).toHaveLength(2);
  // An allocated wallet is swept of booked money only, and a disabled one not at all.
  await become(rich.id, 'allocated');
  await become(poor.id, 'disabled');
  await become(fuelled.id, 'quarantined');
  expect((await list('sweep', '')).map(({ walletId }: { walletId: string }) => walletId)).toEqual([
    fuelled.id,
  ]);
  expect(await list('sweep', 'asset=ETH')).toEqual([]);
  expect(failing(await preflight(rich.id))).toEqual(['balance', 'gas']);
  expect(failing(await preflight(poor.id))).toEqual(['gas', 'not_allocated']);
  expect(await preflight(fuelled.id)).toMatchObject({ ok: true, asset: 'USDT', amount: '100.000000' });
  await Promise.all([rich, poor, dust, fuelled].map(({ id }) => become(id, 'disabled')));
});

it('leaves a reserve for gas when the native coin is swept', async () => {
  const wallet = await world.wallet();
  await world.chain.pay(null, wallet.address, milliEth(10));
  expect(await list('sweep')).toEqual([]); // the reserve of a top-up stays on the wallet
  expect(failing(await preflight(wallet.id, '?asset=ETH'))).toEqual(['balance']);
  await world.chain.pay(null, wallet.address, milliEth(5));
  expect(await list('sweep')).toMatchObject([
    {
      walletId: wallet.id,
      asset: 'ETH',
      sweepable: `0.005${'0'.repeat(15)}`,
      minSweepAmount: `0.001${'0'.repeat(15)}`,
    },
  ]);
  expect(await preflight(wallet.id, '?asset=ETH')).toMatchObject({
    ok: true,
    amount: `0.005${'0'.repeat(15)}`,
  });
  await become(wallet.id, 'disabled');
});

it('names every failing check of the preflight', async () => {
  const wallet = await world.wallet();
  const empty = await preflight(wallet.id);
  expect(empty.checks.map(({ name }: { name: string }) => name)).toEqual([
    ...['balance', 'gas', 'fee_cap', 'not_allocated', 'nothing_open', 'treasury', 'auto_sweep_rest'],
  ]);
  expect([empty.ok, failing(empty)]).toEqual([false, ['balance', 'gas']]);
  await world.chain.pay(world.token, wallet.address, usdt(7));
  await world.chain.pay(null, wallet.address, milliEth(1));
  expect(await preflight(wallet.id)).toMatchObject({ ok: true });
  await world.configure({ maxGasPrice: '0.000000001' });
  expect(failing(await preflight(wallet.id))).toEqual(['fee_cap']);
  await world.configure({ treasuryAddress: null, minSweepAmount: { USDT: '7.000001' } });
  expect(failing(await preflight(wallet.id))).toEqual(['balance', 'treasury']);
  // Without `minSweepAmount` the network's minimum deposit applies.
  await world.configure({ minSweepAmount: {} });
  expect(await preflight(wallet.id)).toMatchObject({ ok: true });
  await world.configure();
});

it('reports an open operation, and no longer lists its wallet as a candidate', async () => {
  const wallet = await world.wallet();
  await world.chain.pay(world.token, wallet.address, usdt(9));
  await world.chain.pay(null, wallet.address, milliEth(1));
  const proposed = async () =>
    (await list('sweep')).map(({ walletId }: { walletId: string }) => walletId).includes(wallet.id);
  expect(await proposed()).toBe(true);
  await world.api.database.query(
    `insert into gas_operations (id, type, chain, wallet_id, asset, token, decimals, from_address, to_address, units, execution,
       status, expires_at, created_at, updated_at)
     select 'swp_open', 'sweep', chain, id, 'USDT', $2, 6, address, address, 1, 'manual', 'pending', now(), now(), now()
       from wallets where id = $1`,
    [wallet.id, world.token],
  );
  expect(failing(await preflight(wallet.id))).toEqual(['nothing_open']);
  expect(await proposed()).toBe(false);
  expect((await world.admin.call('GET', '/v1/gas-station/status/local')).body.openOperations).toEqual({
    sweep: 1,
    topup: 0,
  });
});

it('reports the pause of automatic sweeps after a failed sweep, without refusing one by a person', async () => {
  const wallet = await world.wallet();
  await world.chain.pay(world.token, wallet.address, usdt(9));
  await world.chain.pay(null, wallet.address, milliEth(1));
  const rest = async (asset: string) => {
    const { ok, checks } = await preflight(wallet.id, `?asset=${asset}`);
    const check = checks.find(({ name }: { name: string }) => name === 'auto_sweep_rest');
    return [ok, check.ok, check.detail];
  };
  expect(await rest('USDT')).toEqual([true, true, 'Automatic sweeps of the asset are not paused.']);
  const order = { walletId: wallet.id, asset: 'USDT' };
  const { body } = await world.admin.call('POST', '/v1/gas-station/operations', order);
  const path = `/v1/gas-station/operations/${body.id}/fail`;
  const failed = await world.admin.call('POST', path, { reason: 'by a person' });
  expect(failed.status).toBe(200);
  const until = new Date(Date.parse(failed.body.updatedAt) + 3_600_000).toISOString();
  const detail = `Automatic sweeps of the asset are paused until ${until}, because a sweep failed.`;
  expect(await rest('USDT')).toEqual([true, true, detail]);
  expect((await rest('ETH'))[2]).toBe('Automatic sweeps of the asset are not paused.');
});

it('refuses unknown values, naming the field', async () => {
  const wallet = await world.wallet();
  const paths: [string, number, string | undefined][] = [
    ['sweep-candidates?chain=nowhere', 404, 'chain'],
    ['topup-candidates?chain=nowhere', 404, 'chain'],
    ['sweep-candidates?chain=local&asset=USDC', 400, 'asset'],
    [`sweep-preflight/${wallet.id}?asset=USDC`, 400, 'asset'],
    ['sweep-preflight/wal_nothing', 404, undefined],
  ];
  for (const [path, status, field] of paths) {
    const answer = await world.admin.call('GET', `/v1/gas-station/${path}`);
    expect([path, answer.status, answer.body.field]).toEqual([path, status, field]);
  }
  const client = await world.api.client();
  for (const path of ['sweep-candidates', 'topup-candidates', `sweep-preflight/${wallet.id}`])
    expect((await client.call('GET', `/v1/gas-station/${path}`)).status).toBe(403);
});
