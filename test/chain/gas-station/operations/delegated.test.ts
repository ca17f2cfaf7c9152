/** @long */
import type { Hex } from 'viem';
import { orderAutoSweeps } from '../../../../src/chain/gas-station/auto-sweep';
import { delegationTo, sweepData } from '../../../../src/chain/gas-station/strategies/delegate';
import { answersFalse, answersTrue } from '../strategies/answers';
import {
  batchesOf,
  booksHold,
  completed,
  contractOf,
  delegatedStation,
  ended,
  GATHERED_MS,
  openOf,
} from '../strategies/delegated-station';
import {
  attempts,
  execute,
  onceSigned,
  outbid,
  sendAs,
  type TestStation,
  testStation,
  withParties,
} from './support';

const GIVES_WAY_MS = 60_000;

describe('delegated sweeps', () => {
  let world: TestStation;
  beforeAll(async () => {
    world = await delegatedStation();
  });
  afterAll(() => world.close());

  it('need no gas on wallets, and share one transaction when made together', async () => {
    const status = await world.admin.call('GET', '/v1/gas-station/status/local');
    expect(status.body.delegation).toMatchObject({ contract: contractOf(world), ready: true });
    const before = await world.tokens(world.treasury);
    const wallets = await world.wallets(5, 7_000_000n);
    expect(await orderAutoSweeps(world.services)).toBe(5);
    const made = await openOf(world);
    expect(made.map(({ type, strategy, station }) => ({ type, strategy, station }))).toEqual(
      wallets.map(() => ({ type: 'sweep', strategy: 'delegated', station: world.station })),
    );
    const hashes = await completed(world, made);
    expect(hashes.size).toBe(1);
    expect(await world.tokens(world.treasury)).toBe(before + 35_000_000n);
    expect(await world.held('treasury', 'USDT')).toBe('35');
    for (const { address } of wallets)
      expect(await world.chain.client.getCode({ address })).toBe(delegationTo(contractOf(world)));
    await booksHold(world);

    // The second sweep needs no authorization, and a single wallet needs no batch.
    const [wallet] = wallets;
    await world.chain.pay(world.token, wallet?.address ?? '', 2_000_000n);
    const { id } = await world.sweep(wallet?.id ?? '');
    await completed(world, [{ id }]);
    expect(await world.read(id)).toMatchObject({ status: 'completed', movedAmount: '2.000000' });
    expect(await world.read(id)).not.toHaveProperty('batchOf');
    const [attempt] = await attempts(world, id);
    const transaction = await world.chain.client.getTransaction({ hash: attempt?.hash as Hex });
    expect(transaction).toMatchObject({ type: 'eip1559', to: wallet?.address.toLowerCase() });
    await booksHold(world);
  });

  it('are each in one batch under contiguous nonces when many are made at once', async () => {
    const wallets = await world.wallets(12, 3_000_000n);
    const sweeps = await Promise.all(wallets.map(({ id }) => world.sweep(id)));
    const hashes = await completed(world, sweeps);
    expect(hashes.size).toBe(1);
    const rows = await world.services.database.query<{ nonce: number }>(
      'select nonce::int from chain_nonces where address = $1 order by nonce',
      [world.station],
    );
    expect(rows.map(({ nonce }) => nonce)).toEqual(rows.map((_, place) => place));
    await booksHold(world);
  });

  it('do not fail with one wallet of their batch, which bears its share of the fee', async () => {
    const wallets = await world.wallets(3, 4_000_000n);
    const sweeps = [];
    for (const { id } of wallets) sweeps.push(await world.sweep(id));
    world.later(GATHERED_MS);
    const [leader, other] = sweeps;
    // One wallet sends its money elsewhere between plan and block.
    const signer = {
      ...world.services.parties.signer,
      async sign(...given: Parameters<typeof world.services.parties.signer.sign>) {
        await world.chain.client.setCode({ address: wallets[1]?.address as Hex, bytecode: '0xfe' });
        return world.services.parties.signer.sign(...given);
      },
    };
    await world.advance(leader.id, withParties(world.services, { signer }));
    await ended(world, sweeps);
    const read = await Promise.all(sweeps.map(({ id }) => world.read(id)));
    expect(read.map(({ status }) => status)).toEqual(['completed', 'failed', 'completed']);
    expect(await world.read(other.id)).toMatchObject({
      failure: { code: 'no_transfer' },
      batchOf: leader.id,
    });
    expect(await world.tokens(wallets[1]?.address ?? '')).toBe(4_000_000n);
    expect(new Set(read.map(({ txHash }) => txHash)).size).toBe(1);
    await booksHold(world);
  });

  it('move a token that answers true, alone or in a batch', async () => {
    const wallets = await world.wallets(3, 2_000_000n);
    const before = await world.tokens(world.treasury);
    const restore = await answersTrue(world);
    const [first, ...others] = wallets;
    await completed(world, [await world.sweep(first!.id)]);
    const batch = [];
    for (const { id } of others) batch.push(await world.sweep(id));
    expect((await completed(world, batch)).size).toBe(1);
    await restore();
    expect(await world.tokens(world.treasury)).toBe(before + 6_000_000n);
    await booksHold(world);
  });

  it('are not sent when a token answers false; when it begins to later, they fail and cost gas only', async () => {
    const [first, ...others] = await world.wallets(3, 2_000_000n);
    const held = () => Promise.all((['pool', 'treasury'] as const).map((name) => world.held(name, 'USDT')));
    const [before, gas] = [await held(), Number(await world.held('gas', 'ETH'))];
    const { id } = await world.sweep(first!.id);
    let restore = await answersFalse(world);
    expect(await world.failing(others[0]!.id)).toEqual(['gas']);
    await world.advance(id);
    world.later(GATHERED_MS);
    await world.advance(id);
    expect(await world.read(id)).toMatchObject({ status: 'pending', waitsFor: 'refused' });
    expect(await attempts(world, id)).toEqual([]);
    await restore();
    // The token begins to answer false after the plan.
    const signer = {
      ...world.services.parties.signer,
      async sign(...given: Parameters<typeof world.services.parties.signer.sign>) {
        restore = await answersFalse(world);
        return world.services.parties.signer.sign(...given);
      },
    };
    await world.advance(id, withParties(world.services, { signer }));
    await world.chain.mined((await attempts(world, id)).at(-1)!.hash!); // the node answers before the block exists
    await restore();
    const batch = [];
    for (const { id } of others) batch.push(await world.sweep(id));
    restore = await answersFalse(world);
    await ended(world, [{ id }, ...batch]);
    for (const each of batch) {
      expect(await world.read(each.id)).toMatchObject({ status: 'pending', waitsFor: 'refused' });
      expect(await attempts(world, each.id)).toEqual([]);
    }
    await restore();
    await world.advance(batch[0]!.id, withParties(world.services, { signer }));
    await ended(world, batch);
    await restore();
    const read = await Promise.all([{ id }, ...batch].map((each) => world.read(each.id)));
    expect(read.map(({ status, failure, movedAmount }) => [status, failure?.code, movedAmount])).toEqual([
      ['failed', 'reverted', '0.000000'],
      ['failed', 'no_transfer', '0.000000'],
      ['failed', 'no_transfer', '0.000000'],
    ]);
    expect(await held()).toEqual(before);
    expect(Number(await world.held('gas', 'ETH'))).toBeGreaterThan(gas);
    for (const { address } of [first!, ...others]) expect(await world.tokens(address)).toBe(2_000_000n);
    await booksHold(world);
  });

  it('share the replacement of a batch that is stuck', async () => {
    const wallets = await world.wallets(2, 1_000_000n);
    const sweeps = [];
    for (const { id } of wallets) sweeps.push(await world.sweep(id));
    await world.chain.client.setAutomine(false);
    world.later(GATHERED_MS);
    for (const isReplaced of [false, true]) {
      if (isReplaced) await outbid(world, sweeps[0].id, 4 * 60_000);
      for (const { id } of sweeps) expect(await world.advance(id)).toMatchObject({ status: 'confirming' });
    }
    const [first, second, ...more] = await attempts(world, sweeps[0].id);
    expect([second?.nonce, more]).toEqual([first?.nonce, []]);
    await world.chain.client.setAutomine(true);
    await world.chain.client.mine({ blocks: 1 });
    expect([...(await completed(world, sweeps))]).toEqual([second?.hash]);
  });

  it('get another batch when the operation that owns an unsigned batch is failed', async () => {
    const wallets = await world.wallets(3, 1_000_000n);
    const sweeps = [];
    for (const { id } of wallets) sweeps.push(await world.sweep(id));
    const [leader, ...others] = sweeps;
    const sign = () => Promise.reject(new Error('the signer is away'));
    world.later(GATHERED_MS);
    const signer = { ...world.services.parties.signer, sign };
    await expect(world.advance(leader.id, withParties(world.services, { signer }))).rejects.toThrow('away');
    const fail = (id: string) =>
      world.admin.call('POST', `/v1/gas-station/operations/${id}/fail`, { reason: 'the signer is away' });
    expect((await fail(others[0].id)).status).toBe(409);
    expect((await fail(leader.id)).body).toMatchObject({ status: 'failed' });
    expect((await completed(world, others)).size).toBe(1);
    expect(await world.tokens(wallets[0]?.address ?? '')).toBe(1_000_000n);
  });

  it('leave out a wallet that may no longer be swept, even that of the operation that owns the batch', async () => {
    const wallets = await world.wallets(5, 1_000_000n);
    const sweeps = [];
    for (const { id } of wallets) sweeps.push(await world.sweep(id));
    const [leader, late, ...others] = sweeps;
    const disable = (place: number) =>
      world.services.database.query(`update wallets set status = 'disabled' where id = $1`, [
        wallets[place]?.id,
      ]);
    // One wallet is disabled before the plan, one after it, and finally the owner's.
    await disable(4);
    world.later(GATHERED_MS);
    const sign = () => Promise.reject(new Error('the signer is away'));
    const away = withParties(world.services, { signer: { ...world.services.parties.signer, sign } });
    await expect(world.advance(leader.id, away)).rejects.toThrow('away');
    expect((await batchesOf(world, sweeps)).map((of) => of === leader.id)).toEqual([
      ...[false, true, true, true, false],
    ]);
    await disable(1);
    await expect(world.advance(leader.id, away)).rejects.toThrow('away');
    expect(await batchesOf(world, sweeps)).toEqual([null, null, leader.id, leader.id, null]);
    await disable(0);
    await world.advance(leader.id, away);
    expect(await batchesOf(world, sweeps)).toEqual([null, null, null, null, null]);
    expect((await completed(world, others.slice(0, 2))).size).toBe(1);
    for (const { id } of [leader, late, sweeps[4]]) {
      await world.advance(id);
      expect(await world.read(id)).toMatchObject({ status: 'pending', waitsFor: 'stopped' });
    }
    const held = await Promise.all(wallets.map(({ address }) => world.tokens(address)));
    expect(held).toEqual([1_000_000n, 1_000_000n, 0n, 0n, 1_000_000n]);
    await booksHold(world);
  });

  it('are not broadcast with a wallet that was disabled after signing', async () => {
    const wallets = await world.wallets(3, 1_000_000n);
    const sweeps = [];
    for (const { id } of wallets) sweeps.push(await world.sweep(id));
    const disable = () =>
      world.services.database.query(`update wallets set status = 'disabled' where id = $1`, [wallets[1]?.id]);
    world.later(GATHERED_MS);
    await world.advance(sweeps[0].id, onceSigned(world.services, disable));
    await ended(world, [sweeps[0], sweeps[2]]);
    const held = await Promise.all(wallets.map(({ address }) => world.tokens(address)));
    expect(held).toEqual([0n, 1_000_000n, 0n]);
    await booksHold(world);
  });

  it('are each in one batch when several operations plan one at the same time', async () => {
    const before = await world.tokens(world.treasury);
    const wallets = await world.wallets(6, 2_000_000n);
    const sweeps = [];
    for (const { id } of wallets) sweeps.push(await world.sweep(id));
    world.later(GIVES_WAY_MS + GATHERED_MS); // the oldest may be lost, so any operation makes the batch
    await Promise.all(sweeps.map(({ id }) => world.advance(id)));
    await completed(world, sweeps);
    for (const { id } of sweeps) expect(await world.read(id)).toMatchObject({ movedAmount: '2.000000' });
    expect(await world.tokens(world.treasury)).toBe(before + 12_000_000n);
    await booksHold(world);
  });

  it("are exported with the wallets' authorizations, for the station to sign", async () => {
    await world.configure({ autoSweep: false });
    const [wallet] = await world.wallets(1, 6_000_000n);
    const { id } = await world.sweep(wallet?.id ?? '');
    const path = `/v1/gas-station/operations/${id}`;
    const { body } = await world.admin.call('GET', `${path}/export`);
    const [transaction] = body.transactions;
    expect(transaction).toMatchObject({ type: 'eip7702', from: world.station, to: wallet?.address });
    expect(transaction.authorizations).toEqual([
      expect.objectContaining({ contract: contractOf(world), nonce: 0 }),
    ]);
    // Moves the chain's clock to ours, which is ahead in this test.
    const timestamp = BigInt(Math.ceil(world.services.now().getTime() / 1_000));
    await world.chain.client.setNextBlockTimestamp({ timestamp });
    const txHash = await execute(world, transaction);
    const confirmed = await world.admin.call('POST', `${path}/confirm`, { txHash });
    expect(confirmed.body).toMatchObject({ status: 'completed', movedAmount: '6.000000' });
    await world.configure({ autoSweep: true });
  });

  it('give nobody else who calls a wallet anything', async () => {
    const [wallet] = await world.wallets(1, 6_000_000n);
    await completed(world, [await world.sweep(wallet?.id ?? '')]);
    await world.chain.pay(world.token, wallet?.address ?? '', 1_000_000n);
    const call = {
      to: wallet?.address as Hex,
      data: sweepData(world.token, 1_000_000n),
    };
    const hash = await sendAs(world.chain, world.treasury, call).catch(() => undefined);
    if (hash) expect((await world.chain.receipt(hash)).status).toBe('reverted');
    expect(await world.tokens(wallet?.address ?? '')).toBe(1_000_000n);
  });
});

it('a chain without the contract is swept by transfers, after top-ups of its wallets', async () => {
  const world = await testStation({ config: { autoSweep: true, sweepStrategy: 'delegated' } });
  await world.wallets(1, 7_000_000n);
  expect(await orderAutoSweeps(world.services)).toBe(1);
  expect(await openOf(world)).toMatchObject([{ type: 'topup', strategy: 'transfer' }]);
  await world.close();
});
