/** @long */
import { parseEther } from 'viem';
import { orderAutoSweeps, SWEEPS_DUE } from '../../../../src/chain/gas-station/auto-sweep';
import type { ChainNode, ChainParty } from '../../../../src/parties/chain/port';
import { attempts, ether, feesOf, fundNative, type TestStation, testStation, withParties } from './support';

const numbersOf = (operation: { id: string }[], world: TestStation) =>
  Promise.all(operation.map(({ id }) => attempts(world, id)));

/** Answers calls of 36 bytes (balanceOf) with a million, and reverts all others. */
const HOLDS_AND_REFUSES = '0x36602414600c5760006000fd5b6298968060005260206000f3';

describe('automatic sweeps', () => {
  let world: TestStation;
  beforeAll(async () => {
    world = await testStation({ config: { autoSweep: true } });
  });
  afterAll(() => world.close());

  const listed = async (path: string) =>
    (await world.admin.call('GET', `/v1/gas-station/${path}`)).body.data as {
      id: string;
      type: string;
      walletId: string;
    }[];

  it('order gas first, then the sweep, once', async () => {
    await world.wallets(2, 25_000_000n);
    expect(await orderAutoSweeps(world.services)).toBe(2);
    const topups = await listed('operations');
    expect(topups.map(({ type }) => type)).toEqual(['topup', 'topup']);
    expect(await orderAutoSweeps(world.services)).toBe(0);
    for (const { id } of topups) expect(await world.lead(id)).toMatchObject({ status: 'completed' });
    expect(await orderAutoSweeps(world.services)).toBe(2);
    for (const { id } of await listed('operations'))
      expect(await world.lead(id)).toMatchObject({ status: 'completed' });
    expect(await orderAutoSweeps(world.services)).toBe(0);
    expect(await world.tokens(world.treasury)).toBe(50_000_000n);
    expect(await world.held('treasury', 'USDT')).toBe('50');
  });

  it('are perhaps due once more after a top-up has ended, although that writes no event', async () => {
    const sign = async () => {
      const [row] = await world.services.database.query<{ value: string }>(
        `select (${SWEEPS_DUE.sql}) as value`,
      );
      return row?.value;
    };
    await world.wallets(1, 25_000_000n);
    const before = await sign();
    expect(await orderAutoSweeps(world.services)).toBe(1);
    expect(await sign()).toBe('true');
    const [topup] = await listed('operations');
    expect(await world.lead(topup!.id)).toMatchObject({ status: 'completed' });
    const after = await sign();
    expect([before, after]).toEqual([expect.stringMatching(/^perhaps/), expect.stringMatching(/^perhaps/)]);
    expect(after).not.toBe(before);
    expect(await orderAutoSweeps(world.services)).toBe(1);
    const [sweep] = await listed('operations');
    expect(await world.lead(sweep!.id)).toMatchObject({ status: 'completed' });
  });

  /** The services with other answers of the chain's nodes. */
  const answering = (answers: (node: ChainNode) => Partial<ChainNode>) => {
    const { services } = world;
    const nodeOf: ChainParty['of'] = (address) => services.parties.chain.of(address);
    const of: ChainParty['of'] = (address) => ({ ...nodeOf(address), ...answers(nodeOf(address)) });
    return withParties(services, { chain: { of } });
  };

  it('order one top-up, and ask no node about the wallet until it has ended', async () => {
    const [wallet] = await world.wallets(1, 25_000_000n);
    expect(await orderAutoSweeps(world.services)).toBe(1);
    const [topup] = await listed('operations');
    const asked = new Set<string>();
    const noting = answering((node) => ({
      balances(addresses, token) {
        for (const each of addresses) asked.add(each);
        return node.balances(addresses, token);
      },
    }));
    expect([await orderAutoSweeps(noting), asked.has(wallet!.address)]).toEqual([0, false]);
    expect(await world.lead(topup!.id)).toMatchObject({ status: 'completed' });
    expect([await orderAutoSweeps(noting), asked.has(wallet!.address)]).toEqual([1, true]);
    const [sweep] = await listed('operations');
    expect(await world.read(sweep!.id)).toMatchObject({ type: 'sweep', walletId: wallet!.id });
    expect(await world.lead(sweep!.id)).toMatchObject({ status: 'completed' });
  });

  it("order no further top-up when a person's arrives during the run", async () => {
    const [wallet] = await world.wallets(1, 25_000_000n);
    let topup: Promise<void> | undefined;
    const arrive = async () => {
      const { id } = await world.topup(wallet!.id);
      expect(await world.lead(id)).toMatchObject({ status: 'completed' });
    };
    const late = answering((node) => ({
      balances: (...asked) => node.balances(...asked).finally(() => (topup ??= arrive())),
    }));
    expect(await orderAutoSweeps(late)).toBe(1);
    expect(topup).toBeDefined();
    const [sweep] = await listed('operations');
    expect(await world.read(sweep!.id)).toMatchObject({ type: 'sweep', walletId: wallet!.id });
    expect(await world.lead(sweep!.id)).toMatchObject({ status: 'completed' });
  });

  it.each([
    ['while the run reads the chain', 'balances'],
    ['after the run has judged the wallet', 'estimateGas'],
  ] as const)('order nothing when they are switched off %s', async (_, moment) => {
    const [wallet] = await world.wallets(1, 25_000_000n, '0.05');
    const switched = (on: boolean) =>
      world.services.database.query('update gas_configs set auto_sweep = $1 where chain = $2', [on, 'local']);
    const meanwhile = answering((node) => {
      const ask = node[moment] as (...given: unknown[]) => Promise<never>;
      return { [moment]: (...given: unknown[]) => switched(false).then(() => ask(...given)) };
    });
    expect(await orderAutoSweeps(meanwhile)).toBe(0);
    expect(await listed('operations')).toEqual([]);
    await switched(true);
    expect(await orderAutoSweeps(world.services)).toBe(1);
    const [sweep] = await listed('operations');
    expect(sweep).toMatchObject({ type: 'sweep', walletId: wallet!.id });
    expect(await world.lead(sweep!.id)).toMatchObject({ status: 'completed' });
  });

  it('skip wallets that were never allocated, and pause for an hour after a failure', async () => {
    const { admin, chain, token } = world;
    const body = { chain: 'local', count: 1 };
    const [unused] = (await admin.call('POST', '/v1/gas-station/generate', body)).body.data;
    await chain.pay(token, unused.address, 9_000_000n);
    const [wallet] = await world.wallets(1, 9_000_000n, '0.0025');
    const { id } = await world.sweep(wallet!.id);
    const path = `/v1/gas-station/operations/${id}/fail`;
    expect((await admin.call('POST', path, { reason: 'no' })).status).toBe(200);
    expect(await orderAutoSweeps(world.services)).toBe(0);
    world.later(3_600_001);
    expect(await orderAutoSweeps(world.services)).toBe(1);
    const [sweep] = await listed('operations');
    expect(await world.lead(sweep!.id)).toMatchObject({ status: 'completed' });
    await chain.pay(null, unused.address, parseEther('0.0025'));
    const { id: byHand } = await world.sweep(unused.id);
    expect(await world.lead(byHand)).toMatchObject({ status: 'completed' });
  });

  it('order no gas for a sweep that would revert, skip a contract that is no token, and sweep the other assets', async () => {
    const [wallet] = await world.wallets(1, 9_000_000n);
    const code = (await world.chain.client.getCode({ address: world.token }))!;
    // The token reports a balance and moves nothing.
    await world.chain.client.setCode({ address: world.token, bytecode: HOLDS_AND_REFUSES });
    expect(await orderAutoSweeps(world.services)).toBe(0);
    await fundNative(world.chain, wallet!.address, parseEther('1'));
    expect(await orderAutoSweeps(world.services)).toBe(1);
    const [sweep] = await listed('operations');
    expect(await world.read(sweep!.id)).toMatchObject({ asset: 'ETH' });
    expect(await world.lead(sweep!.id)).toMatchObject({ status: 'completed' });
    await world.chain.client.setCode({ address: world.token, bytecode: '0x' });
    const listing = await world.admin.call('GET', '/v1/gas-station/sweep-candidates?chain=local');
    expect(listing.status).toBe(200);
    const asked = `/v1/gas-station/sweep-preflight/${wallet!.id}?asset=USDT`;
    expect((await world.admin.call('GET', asked)).body).toMatchObject({ ok: false, amount: '0.000000' });
    await world.chain.client.setCode({ address: world.token, bytecode: code });
    await fundNative(world.chain, wallet!.address, parseEther('0.0025'));
    const { id } = await world.sweep(wallet!.id);
    expect(await world.lead(id)).toMatchObject({ status: 'completed' });
  });

  it('sweep many wallets under contiguous nonces, and book every fee exactly', async () => {
    const before = await world.tokens(world.treasury);
    const wallets = await world.wallets(8, 3_000_000n);
    const topups = await Promise.all(wallets.map(({ id }) => world.topup(id)));
    await Promise.all(topups.map(({ id }) => world.lead(id)));
    for (const { id } of topups) expect(await world.lead(id)).toMatchObject({ status: 'completed' });
    const nonces = (await numbersOf(topups, world)).map(([only, ...more]) => {
      expect(more).toEqual([]);
      return Number(only?.nonce);
    });
    const first = Math.min(...nonces);
    expect(nonces.sort((a, b) => a - b)).toEqual(Array.from({ length: 8 }, (_, place) => first + place));

    const sweeps = await Promise.all(wallets.map(({ id }) => world.sweep(id)));
    await Promise.all(sweeps.map(({ id }) => world.lead(id)));
    for (const { id } of sweeps) expect(await world.lead(id)).toMatchObject({ status: 'completed' });
    expect(await world.tokens(world.treasury)).toBe(before + 24_000_000n);
    const all = await world.services.database.query<{ hash: `0x${string}` }>('select hash from chain_nonces');
    expect(await world.held('gas', 'ETH')).toBe(
      ether(
        await feesOf(
          world.chain,
          all.map(({ hash }) => hash),
        ),
      ),
    );
    const held = await world.chain.client.getBalance({ address: world.station });
    expect(await world.held('station', 'ETH')).toBe(`-${ether(parseEther('10') - held)}`);
  });

  it('do not export what the service has signed', async () => {
    const [wallet] = await world.wallets(1, 2_000_000n, '0.01');
    const { id } = await world.sweep(wallet!.id);
    const path = `/v1/gas-station/operations/${id}`;
    expect((await world.admin.call('GET', `${path}/export`)).status).toBe(409);
    await world.chain.client.setAutomine(false);
    expect(await world.advance(id)).toMatchObject({ status: 'confirming', open: true });
    const { body } = await world.admin.call('POST', `${path}/confirm`, { txHash: `0x${'12'.repeat(32)}` });
    expect(body.code).toBe('invalid_transition');
    await world.chain.client.setAutomine(true);
    await world.chain.client.mine({ blocks: 1 });
    expect(await world.lead(id)).toMatchObject({ status: 'completed' });
  });

  it('order no second top-up for a wallet that still lacks gas after one', async () => {
    await world.configure({ gasThreshold: '0', gasTopupAmount: '0.000000001' });
    const [wallet] = await world.wallets(1, 25_000_000n);
    const given = async () => {
      await orderAutoSweeps(world.services);
      const open = await listed('operations');
      for (const { id } of open) await world.lead(id);
      return open.filter(({ walletId }) => walletId === wallet!.id).map(({ type }) => type);
    };
    expect([await given(), await given()]).toEqual([['topup'], []]);
    await world.configure({});
    expect([await given(), await given()]).toEqual([['topup'], ['sweep']]);
  });

  it('fail a reverted sweep, and book its fee', async () => {
    const [wallet] = await world.wallets(1, 2_000_000n, '0.01');
    const { id } = await world.sweep(wallet!.id);
    await world.chain.client.setAutomine(false);
    await world.advance(id);
    // The token begins to revert after the estimate.
    await world.chain.client.setCode({ address: world.token, bytecode: '0xfe' });
    await world.chain.client.setAutomine(true);
    await world.chain.client.mine({ blocks: 1 });
    expect(await world.lead(id)).toMatchObject({ status: 'failed' });
    const [attempt] = await attempts(world, id);
    expect(await world.read(id)).toMatchObject({
      failure: { code: 'reverted' },
      fee: ether(await feesOf(world.chain, [attempt!.hash!])).padEnd(20, '0'),
      movedAmount: '0.000000',
    });
  });
});

it('books the fee that a token takes of a transfer as a loss', async () => {
  const world = await testStation({
    config: { autoSweep: true },
    token: { feeBasisPoints: 250, decimals: 18 },
  });
  const [wallet] = await world.wallets(1, 1_000_000_000_000_000_000_000n, '0.01');
  const { id } = await world.sweep(wallet!.id);
  expect(await world.lead(id)).toMatchObject({ status: 'completed' });
  expect(await world.read(id)).toMatchObject({
    amount: '975.000000000000000000',
    movedAmount: '950.625000000000000000',
    lostAmount: '24.375000000000000000',
  });
  expect(await world.held('treasury', 'USDT')).toBe('950.625');
  expect(await world.lost('USDT')).toBe('24.375');
  expect(await world.held('pool', 'USDT')).toBe('-975');
  await world.close();
});
