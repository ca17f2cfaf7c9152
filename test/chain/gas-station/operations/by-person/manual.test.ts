import { getAddress, parseEther } from 'viem';
import { auditOf } from '../../../../../src/kernel/audit/audit';
import { NATIVE } from '../../../../../src/parties/chain/port';
import { sentByOthers } from '../../../../../src/transfers/chain-deposits/sent-by-others';
import {
  breaksOf,
  ether,
  execute,
  feesOf,
  fundNative,
  posted,
  sendAs,
  type TestStation,
  testStation,
  withoutBlocks,
} from '../support';
import { byHand, OPERATIONS, TOPUPS, transfer } from './decisions';

let world: TestStation;
beforeAll(async () => {
  world = await testStation();
});
afterAll(() => world.close());
const { exported, confirm } = byHand(() => world);

describe('execution by a person', () => {
  it("tops a wallet up, sweeps it, and books the chain's result", async () => {
    const { admin, treasury, station } = world;
    const [wallet] = await world.wallets(1, 100_000_000n);
    if (!wallet) throw new Error('no wallet');
    const refused = await admin.call('POST', OPERATIONS, { walletId: wallet.id, asset: 'USDT' });
    expect(refused).toMatchObject({
      status: 409,
      body: { code: 'invalid_transition', field: 'walletId', message: expect.stringContaining('gas (') },
    });

    const topup = await world.topup(wallet.id);
    expect(topup).toMatchObject({
      type: 'topup',
      status: 'pending',
      execution: 'manual',
      asset: 'ETH',
      from: station,
      to: wallet.address,
      amount: '0.002000000000000000',
    });
    expect(await admin.call('POST', TOPUPS, { walletId: wallet.id })).toMatchObject({ status: 409 });
    const given = await exported(TOPUPS, topup.id);
    expect(given).toMatchObject({
      operation: { status: 'awaiting_confirmation' },
      transactions: [
        {
          type: 'eip1559',
          chainId: 31_337,
          nonce: 0,
          to: wallet.address,
          value: '2000000000000000',
          gas: '25200', // an estimate and a fifth
        },
      ],
    });
    const paid = await execute(world, given.transactions[0]);
    const done = await confirm(TOPUPS, topup.id, paid);
    expect(done).toMatchObject({ status: 200, body: { status: 'completed', txHash: paid } });
    expect(await confirm(TOPUPS, topup.id, paid)).toEqual(expect.objectContaining({ body: done.body }));

    const sweep = await world.sweep(wallet.id);
    expect(sweep).toMatchObject({ amount: '100.000000', from: wallet.address, to: treasury });
    const { transactions } = await exported(OPERATIONS, sweep.id);
    const hash = await execute(world, transactions[0]);
    const swept = await confirm(OPERATIONS, sweep.id, hash.toUpperCase().replace('0X', '0x'));
    expect(swept).toMatchObject({ status: 200, body: { status: 'completed', movedAmount: '100.000000' } });

    expect(await world.tokens(treasury)).toBe(100_000_000n);
    expect(await world.held('treasury', 'USDT')).toBe('100');
    expect(await world.held('pool', 'USDT')).toBe('-100'); // the deposits of this test are not booked
    const fees = await Promise.all([paid, hash].map((each) => feesOf(world.chain, [each])));
    expect(await world.held('gas', 'ETH')).toBe(ether(fees[0]! + fees[1]!));
    expect(await world.held('pool', 'ETH')).toBe(ether(parseEther('0.002') - fees[1]!));
    expect(await world.held('station', 'ETH')).toBe(`-${ether(parseEther('0.002') + fees[0]!)}`);
    const actions = (await auditOf(world.services.database, sweep.id, 10)).map(({ action }) => action);
    expect(actions).toEqual(['create', 'export', 'confirm'].map((what) => `gas-station.operation.${what}`));
    expect(await world.advance(sweep.id)).toEqual({ status: 'completed', open: false, lookAt: null });
  });

  it('repeats the answer for the same idempotency key, whatever has become of the wallet', async () => {
    const [wallet] = await world.wallets(1, 5_000_000n, '0.01');
    const body = { walletId: wallet!.id, asset: 'USDT' };
    const keyed = (key: string, path = OPERATIONS, sent: object = body) =>
      world.admin.call('POST', path, sent, { 'x-idempotency-key': key });
    const made = await keyed('one');
    expect(made.status).toBe(201);
    expect((await keyed('one')).text).toBe(made.text);
    const refused = await keyed('two');
    expect(refused).toMatchObject({ status: 409, body: { code: 'invalid_transition' } });
    const path = `${OPERATIONS}/${made.body.id}/fail`;
    const failed = await keyed('three', path, { reason: 'test' });
    expect((await keyed('three', path, { reason: 'test' })).text).toBe(failed.text);
    expect((await keyed('two')).text).toBe(refused.text);
    expect((await keyed('one', OPERATIONS, { ...body, asset: 'ETH' })).status).toBe(422);
  });

  it('exports again under the same nonce, and as a file', async () => {
    const [wallet] = await world.wallets(1, 5_000_000n, '0.01');
    const { id } = await world.sweep(wallet!.id);
    const first = await exported(OPERATIONS, id);
    const file = await world.admin.call('GET', `${OPERATIONS}/${id}/export?format=file`);
    expect(file.headers.get('content-disposition')).toBe(`attachment; filename="${id}.json"`);
    expect(file.body.transactions[0]).toMatchObject({ nonce: first.transactions[0].nonce });
    expect((await world.admin.call('GET', `${OPERATIONS}/${id}/export?format=xml`)).body.field).toBe(
      'format',
    );
    const hash = await execute(world, file.body.transactions[0]);
    await world.chain.pay(world.token, wallet!.address, 5_000_000n); // there is something to sweep again
    expect(await world.admin.call('GET', `${OPERATIONS}/${id}/export`)).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('confirm its hash') },
    });
    expect((await confirm(OPERATIONS, id, hash)).body).toMatchObject({ status: 'completed' });
  });

  const fail = (path: string, id: string) =>
    world.admin.call('POST', `${path}/${id}/fail`, { reason: 'gave up' });

  it.each([OPERATIONS, TOPUPS])(
    'does not fail an executed operation of %s, and names its hash',
    async (path) => {
      const [wallet] = await world.wallets(1, 5_000_000n, path === TOPUPS ? '0' : '0.01');
      const { id } = await (path === TOPUPS ? world.topup(wallet!.id) : world.sweep(wallet!.id));
      const [transaction] = (await exported(path, id)).transactions;
      await world.chain.client.mine({ blocks: 3 });
      const hash = await execute(world, transaction);
      const refused = await fail(path, id);
      expect(refused).toMatchObject({ status: 409, body: { code: 'invalid_transition' } });
      expect(refused.body.message).toContain(hash);
      expect(await breaksOf(world, id)).toEqual([]);
      expect((await confirm(path, id, hash)).body).toMatchObject({ status: 'completed' });
      expect((await fail(path, id)).status).toBe(409);
    },
  );

  it('does not fail an operation whose exported nonce another transaction has used; it is shown, and expires', async () => {
    const [wallet] = await world.wallets(1, 5_000_000n, '0.01');
    const { id } = await world.sweep(wallet!.id);
    await exported(OPERATIONS, id);
    await world.chain.mined(await sendAs(world.chain, wallet!.address, { to: world.treasury, value: 1n }));
    expect((await fail(OPERATIONS, id)).status).toBe(409);
    expect(await breaksOf(world, id)).toMatchObject([{ kind: 'gas_nonce_taken', open: true }]);
    expect(await world.read(id)).toMatchObject({ status: 'awaiting_confirmation' });
    world.later(24 * 3_600_000);
    expect(await world.advance(id)).toMatchObject({ status: 'expired', open: false });
    expect(await breaksOf(world, id)).toMatchObject([{ open: false }]);
    await world.chain.client.increaseTime({ seconds: 24 * 3_600 });
  });

  it('fails an exported operation that was never executed', async () => {
    const [wallet] = await world.wallets(1, 5_000_000n, '0.01');
    const { id } = await world.sweep(wallet!.id);
    await exported(OPERATIONS, id);
    const failure = { code: 'by_operator', reason: 'gave up' };
    expect((await fail(OPERATIONS, id)).body).toMatchObject({ status: 'failed', failure });
    expect((await fail(OPERATIONS, id)).status).toBe(409);
  });

  it('gives the nonce of an unexecuted export to the next operation when an earlier nonce was used', async () => {
    const { chain, token, treasury } = world;
    const [wallet] = await world.wallets(1, 5_000_000n, '0.01');
    const { address } = wallet!;
    const first = await world.sweep(wallet!.id);
    const hash = await withoutBlocks(world, async () => {
      const other = await sendAs(chain, address, { to: treasury, value: 1n });
      expect((await exported(OPERATIONS, first.id)).transactions[0]).toMatchObject({ nonce: 1 });
      await chain.client.dropTransaction({ hash: other });
      return sendAs(chain, address, { to: token, data: transfer(treasury, 5_000_000n) });
    });
    await chain.mined(hash);
    expect((await confirm(OPERATIONS, first.id, hash)).body.status).toBe('completed');
    await chain.pay(token, address, 5_000_000n);
    const second = await world.sweep(wallet!.id);
    expect((await exported(OPERATIONS, second.id)).transactions[0]).toMatchObject({ nonce: 1 });
    await posted(world.admin, `${OPERATIONS}/${second.id}/fail`, { reason: 'test' });
  });

  it('follows a transaction with too few confirmations, and completes it later', async () => {
    await world.configure({ sweepConfirmations: 3 });
    const [wallet] = await world.wallets(1, 2_000_000n, '0.01');
    const { id } = await world.sweep(wallet!.id);
    const hash = await execute(world, (await exported(OPERATIONS, id)).transactions[0]);
    expect((await confirm(OPERATIONS, id, hash)).body.status).toBe('confirming');
    expect(await world.advance(id)).toMatchObject({ status: 'confirming', lookAt: expect.any(Number) });
    expect(await world.admin.call('POST', `${OPERATIONS}/${id}/fail`, { reason: 'no' })).toMatchObject({
      status: 409,
    });
    await world.chain.client.mine({ blocks: 2 });
    expect(await world.advance(id)).toMatchObject({ status: 'completed', open: false });
    await world.configure({ sweepConfirmations: 1 });
  });

  it('expires after a day, and books a later execution with a break', async () => {
    const [wallet] = await world.wallets(1, 7_000_000n, '0.01');
    const { id } = await world.sweep(wallet!.id);
    const { transactions } = await exported(OPERATIONS, id);
    expect(await world.advance(id)).toMatchObject({ status: 'awaiting_confirmation' });
    world.later(24 * 3_600_000);
    expect(await world.advance(id)).toEqual({ status: 'expired', open: false, lookAt: null });
    const before = await world.held('treasury', 'USDT');
    const hash = await execute(world, transactions[0]);
    const late = await confirm(OPERATIONS, id, hash);
    expect(late).toMatchObject({ status: 200, body: { status: 'expired', movedAmount: '7.000000' } });
    expect(await world.held('treasury', 'USDT')).toBe(String(Number(before) + 7));
    expect(await breaksOf(world, id)).toMatchObject([{ kind: 'gas_operation_late' }]);
    expect((await confirm(OPERATIONS, id, hash)).body).toEqual(late.body);
  });

  it('gives the nonce of a failed, unexecuted operation to the next one', async () => {
    const [one, two] = await world.wallets(2, 1n);
    const first = await world.topup(one!.id);
    const { nonce } = (await exported(TOPUPS, first.id)).transactions[0];
    const second = await world.topup(two!.id, '0.5');
    expect((await exported(TOPUPS, second.id)).transactions[0].nonce).toBe(nonce + 1);
    await posted(world.admin, `${TOPUPS}/${first.id}/fail`, { reason: 'not needed' });
    const third = await world.topup(one!.id);
    expect((await exported(TOPUPS, third.id)).transactions[0].nonce).toBe(nonce);
    for (const { id } of [second, third])
      await posted(world.admin, `${TOPUPS}/${id}/fail`, { reason: 'test' });
  });

  it('orders no gas for a disabled wallet', async () => {
    const [wallet] = await world.wallets(1, 1n);
    await world.services.database.query("update wallets set status = 'disabled' where id = $1", [wallet!.id]);
    expect(await world.admin.call('POST', TOPUPS, { walletId: wallet!.id })).toMatchObject({
      status: 409,
      body: { code: 'invalid_transition', field: 'walletId', message: expect.stringContaining('disabled') },
    });
  });

  it('does not count a former station as a payer', async () => {
    const { chain, admin, station } = world;
    const outside = getAddress(`0x${'5e'.repeat(20)}`);
    const stranger = getAddress(`0x${'5f'.repeat(20)}`);
    await fundNative(chain, outside, parseEther('1'));
    const put = (address: string) => admin.call('PUT', '/v1/gas-station/wallet', { chain: 'local', address });
    expect((await put(outside)).status).toBe(200);
    const [wallet] = await world.wallets(1, 1n);
    const { id } = await world.topup(wallet!.id);
    expect((await put(station)).status).toBe(200);
    const { database } = world.api;
    // as if no node had answered when the station was set
    await database.query('delete from station_scans where address = $1', [outside]);
    const block = { number: 1, hash: '0x1', parentHash: '0x0', at: new Date() };
    const paid = (from: string) => ({
      txHash: '0x1',
      ordinal: NATIVE,
      logIndex: null,
      token: null,
      units: 1n,
      block,
      from,
      to: wallet!.address,
    });
    const left = await sentByOthers(database, 'local', [paid(outside), paid(station), paid(stranger)]);
    expect(left.map(({ from }) => from)).toEqual([stranger]);
    await posted(admin, `${TOPUPS}/${id}/fail`, { reason: 'test' });
  });

  it('lists open operations, and all, newest first, in pages', async () => {
    const all = await listed(`${OPERATIONS}/history`);
    expect(all.length).toBeGreaterThanOrEqual(10);
    const times = all.map(({ createdAt }) => createdAt);
    expect(times).toEqual([...times].sort().reverse());
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    const open = await listed(OPERATIONS);
    expect(open.map(({ id }) => id)).toEqual(
      all
        .filter(({ status }) => ['pending', 'awaiting_confirmation', 'confirming'].includes(status ?? ''))
        .map(({ id }) => id),
    );
    const topups = await listed(`${OPERATIONS}/history`, 'type=topup&chain=local');
    expect(topups.length).toBe(all.filter(({ type }) => type === 'topup').length);
    expect(await listed(`${OPERATIONS}/history`, 'chain=other')).toEqual([]);
    const client = await world.api.client();
    expect((await client.call('GET', OPERATIONS)).status).toBe(403);
    const [sweep] = await listed(`${OPERATIONS}/history`, 'type=sweep');
    expect((await world.admin.call('GET', `${TOPUPS}/${sweep!.id}/export`)).status).toBe(404);
    expect((await world.admin.call('GET', `${OPERATIONS}/swp_x`)).status).toBe(404);
  });
});

async function listed(path: string, query = ''): Promise<Record<string, string>[]> {
  const found: Record<string, string>[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await world.admin.call('GET', `${path}?limit=4&${query}${cursor}`);
    found.push(...body.data);
    if (!body.hasMore) return found;
    cursor = `&cursor=${body.nextCursor}`;
  }
}
