import { parseEther, parseGwei } from 'viem';
import { spentToday } from '../../../../src/chain/gas-station/operations/budget';
import {
  attempts,
  ether,
  fundNative,
  type TestStation,
  testStation,
  withoutBlocks,
  withParties,
} from './support';

describe('limits of the station', () => {
  let world: TestStation;
  beforeAll(async () => {
    world = await testStation({ config: { autoSweep: true } });
  });
  afterAll(() => world.close());

  it("broadcasts nothing while the base fee is above the cap, or the day's budget is spent", async () => {
    const [wallet] = await world.wallets(1, 9_000_000n, '0.01');
    const { id } = await world.sweep(wallet!.id);
    await world.configure({ maxGasPrice: '0.000001' });
    expect(await world.advance(id)).toMatchObject({ status: 'pending', open: true });
    expect(await world.read(id)).toMatchObject({ status: 'pending', waitsFor: 'gas_price' });
    await world.configure({ dailyGasBudget: '0.0000000001' });
    expect(await world.advance(id)).toMatchObject({ status: 'pending' });
    expect(await world.read(id)).toMatchObject({ waitsFor: 'daily_budget' });
    expect(await attempts(world, id)).toEqual([]);
    expect(await world.chain.client.getTransactionCount({ address: wallet!.address })).toBe(0);
    await world.configure({});
    expect(await world.lead(id)).toMatchObject({ status: 'completed' });
    expect(await world.read(id)).not.toHaveProperty('waitsFor');
  });

  it("counts broadcast, unmined transactions towards the day's budget", async () => {
    const wallets = await world.wallets(2, 9_000_000n, '0.01');
    const [one, other] = await Promise.all(wallets.map(({ id }) => world.sweep(id)));
    await withoutBlocks(world, async () => {
      await world.advance(one.id);
      const { booked, reserved } = await spentToday(world.services.database, 'local', world.services.now());
      expect(reserved).toBeGreaterThan(0n);
      await world.configure({ dailyGasBudget: ether(booked + reserved + reserved / 2n) });
      await world.advance(other.id);
      expect(await world.read(other.id)).toMatchObject({ status: 'pending', waitsFor: 'daily_budget' });
      await world.configure({ dailyGasBudget: ether(booked + 3n * reserved) });
      await world.advance(other.id);
      expect(await world.read(other.id)).toMatchObject({ status: 'confirming' });
    });
    await world.configure({});
    for (const { id } of [one, other]) expect(await world.lead(id)).toMatchObject({ status: 'completed' });
  });

  it('does not broadcast a signed transaction when a block now costs more than the cap', async () => {
    const [wallet] = await world.wallets(1, 9_000_000n, '0.01');
    const { id } = await world.sweep(wallet!.id);
    const stopped = {
      ...world.services,
      parties: {
        ...world.services.parties,
        signer: {
          ...world.services.parties.signer,
          async sign(...given: Parameters<typeof world.services.parties.signer.sign>) {
            await world.configure({ maxGasPrice: '0.000001' });
            return world.services.parties.signer.sign(...given);
          },
        },
      },
    };
    await world.advance(id, stopped);
    expect(await world.advance(id)).toMatchObject({ status: 'awaiting_confirmation' });
    expect(await world.chain.client.getTransactionCount({ address: wallet!.address })).toBe(0);
    await world.configure({});
    expect(await world.lead(id)).toMatchObject({ status: 'completed' });
  });

  /** A sweep that is signed and held back. */
  async function signedSweep() {
    const [wallet] = await world.wallets(1, 9_000_000n, '0.01');
    const { id } = await world.sweep(wallet!.id);
    const { signer } = world.services.parties;
    const sign: typeof signer.sign = async (...given) => {
      const signed = await signer.sign(...given);
      await world.configure({ maxGasPrice: '0.000001' });
      return signed;
    };
    await world.advance(id, withParties(world.services, { signer: { ...signer, sign } }));
    await world.configure({});
    const [attempt] = await attempts(world, id);
    expect(attempt).toMatchObject({ raw: expect.any(String), broadcast_at: null });
    return { id, wallet: wallet!, maxFee: Number(attempt!.max_fee_per_gas) / 1e9 };
  }

  const disable = (walletId: string) =>
    world.services.database.query(`update wallets set status = 'disabled' where id = $1`, [walletId]);

  it.each([
    ['autoSweep is taken back', () => world.configure({ autoSweep: false })],
    ['another treasury is set', () => world.configure({ treasuryAddress: `0x${'42'.repeat(20)}` })],
    ['the wallet is disabled', (walletId: string) => disable(walletId)],
  ])('broadcasts no signed transaction when %s, and lets a person end the operation', async (_, stop) => {
    const { id, wallet } = await signedSweep();
    await stop(wallet.id);
    expect(await world.advance(id)).toMatchObject({ status: 'awaiting_confirmation' });
    expect(await world.read(id)).toMatchObject({ waitsFor: 'stopped' });
    const path = `/v1/gas-station/operations/${id}/fail`;
    expect((await world.admin.call('POST', path, { reason: 'stopped' })).status).toBe(200);
    expect((await attempts(world, id))[0]).toMatchObject({ raw: null, released_at: expect.any(Date) });
    await world.configure({});
    expect(await world.chain.client.getTransactionCount({ address: wallet.address })).toBe(0);
  });

  it('does not broadcast a transaction above a lowered cap, and lets the operation expire', async () => {
    const { id, wallet, maxFee } = await signedSweep();
    await world.configure({ maxGasPrice: (maxFee - 0.000000001).toFixed(9) });
    await world.advance(id);
    expect(await world.read(id)).toMatchObject({ waitsFor: 'gas_price' });
    await world.configure({});
    world.later(24 * 3_600_000);
    expect(await world.advance(id)).toMatchObject({ status: 'expired', open: false });
    expect(await world.chain.client.getTransactionCount({ address: wallet.address })).toBe(0);
  });

  it("does not commit the station's coins twice", async () => {
    const wallets = await world.wallets(2, 9_000_000n);
    const before = await world.chain.client.getBalance({ address: world.station });
    const topups = await Promise.all(wallets.map(({ id }) => world.topup(id, '1')));
    await fundNative(world.chain, world.station, parseEther('1.5'));
    await world.chain.client.setAutomine(false);
    for (const { id } of topups) await world.advance(id);
    const [first, second] = await Promise.all(topups.map(({ id }) => world.read(id)));
    expect([first.status, second.status, second.waitsFor]).toEqual(['confirming', 'pending', 'gas']);
    await world.chain.client.setAutomine(true);
    await world.chain.client.mine({ blocks: 1 });
    expect(await world.lead(topups[0]!.id)).toMatchObject({ status: 'completed' });
    await fundNative(world.chain, world.station, before);
    expect(await world.lead(topups[1]!.id)).toMatchObject({ status: 'completed' });
  });

  it('waits for gas, and expires after a day', async () => {
    const [wallet] = await world.wallets(1, 9_000_000n, '0.01');
    const { id } = await world.sweep(wallet!.id);
    await fundNative(world.chain, wallet!.address, parseGwei('1'));
    expect(await world.advance(id)).toMatchObject({ status: 'pending' });
    expect(await world.read(id)).toMatchObject({ waitsFor: 'gas' });
    world.later(24 * 3_600_000);
    expect(await world.advance(id)).toEqual({ status: 'expired', open: false, lookAt: null });
  });
});
