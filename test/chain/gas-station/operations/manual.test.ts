import { encodeFunctionData, erc20Abi, getAddress, parseEther } from 'viem';
import { keepChainReading } from '../../../../src/chain/reconciliation/readings';
import { auditOf } from '../../../../src/kernel/audit/audit';
import { NATIVE } from '../../../../src/parties/chain/port';
import { sentByOthers } from '../../../../src/transfers/chain-deposits/own-money';
import {
  ether,
  execute,
  feesOf,
  fundNative,
  posted,
  sendAs,
  type TestStation,
  testStation,
  unitsOf,
} from './support';

const OPERATIONS = '/v1/gas-station/operations';
const TOPUPS = '/v1/gas-station/topup-operations';

let world: TestStation;
beforeAll(async () => {
  world = await testStation();
});
afterAll(() => world.close());

const exported = async (path: string, id: string) => {
  const { status, body } = await world.admin.call('GET', `${path}/${id}/export`);
  expect([status, body]).toEqual([200, expect.anything()]);
  return body;
};
const confirm = (path: string, id: string, txHash: string) =>
  world.admin.call('POST', `${path}/${id}/confirm`, { txHash });
const transfer = (to: string, units: bigint) =>
  encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to as never, units] });

describe('by export and confirm', () => {
  it('tops a wallet up, sweeps it, and books what the chain says', async () => {
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
      ...{ type: 'topup', status: 'pending', execution: 'manual', asset: 'ETH' },
      ...{ from: station, to: wallet.address, amount: '0.002000000000000000' },
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
    expect(await world.held('pool', 'USDT')).toBe('-100'); // what the deposits of this test would have booked
    const fees = await Promise.all([paid, hash].map((each) => feesOf(world.chain, [each])));
    expect(await world.held('gas', 'ETH')).toBe(ether(fees[0]! + fees[1]!));
    expect(await world.held('pool', 'ETH')).toBe(ether(parseEther('0.002') - fees[1]!));
    expect(await world.held('station', 'ETH')).toBe(`-${ether(parseEther('0.002') + fees[0]!)}`);
    const actions = (await auditOf(world.services.database, sweep.id, 10)).map(({ action }) => action);
    expect(actions).toEqual(['create', 'export', 'confirm'].map((what) => `gas-station.operation.${what}`));
    expect(await world.advance(sweep.id)).toEqual({ status: 'completed', open: false, lookAt: null });
  });

  it('answers a repeat with the same key as before, whatever has become of the wallet', async () => {
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
    await execute(world, file.body.transactions[0]);
    expect(await world.admin.call('GET', `${OPERATIONS}/${id}/export`)).toMatchObject({ status: 409 });
    const failed = await world.admin.call('POST', `${OPERATIONS}/${id}/fail`, { reason: 'gave up' });
    expect(failed.body).toMatchObject({
      status: 'failed',
      failure: { code: 'by_operator', reason: 'gave up' },
    });
    expect(await world.admin.call('POST', `${OPERATIONS}/${id}/fail`, { reason: 'again' })).toMatchObject({
      status: 409,
    });
  });

  it('refuses what is not the transfer, and the operation stays open', async () => {
    const { chain, token, treasury } = world;
    const other = await chain.token();
    const [wallet, neighbour] = await world.wallets(2, 50_000_000n, '0.05');
    await chain.pay(other, wallet!.address, 50_000_000n);
    const { id } = await world.sweep(wallet!.id);
    const from = wallet!.address;
    const send = (sender: string, to: typeof token, data: `0x${string}`) =>
      sendAs(chain, sender, { to, data });
    const wrong: [string, string][] = [
      ['the chain does not know it', `0x${'ab'.repeat(32)}`],
      ['its sender is another one', await send(neighbour!.address, token, transfer(treasury, 50_000_000n))],
      ['its recipient is another one', await send(from, token, transfer(neighbour!.address, 1_000_000n))],
      ['it moves another token', await send(from, other, transfer(treasury, 50_000_000n))],
      ['its amount is less', await send(from, token, transfer(treasury, 1_000_000n))],
      ['it was reverted', await send(from, token, transfer(treasury, 10n ** 15n)).catch(revertedHash)],
    ];
    for (const [why, hash] of wrong) {
      const { status, body } = await confirm(OPERATIONS, id, hash);
      expect([why, status, body.code, body.field]).toEqual([why, 409, 'invalid_transition', 'txHash']);
      expect(body.message).toContain(why);
    }
    for (const txHash of ['', '0x12', 'x'.repeat(66), 7])
      expect((await world.admin.call('POST', `${OPERATIONS}/${id}/confirm`, { txHash })).body.field).toBe(
        'txHash',
      );
    expect(await world.read(id)).toMatchObject({ status: 'pending' });
    expect(await world.advance(id)).toMatchObject({ status: 'pending', open: true });
  });

  it('books what a reverted execution has cost, and gives another nonce', async () => {
    const [wallet] = await world.wallets(1, 5_000_000n, '0.01');
    const { id } = await world.sweep(wallet!.id);
    const first = (await exported(OPERATIONS, id)).transactions[0];
    const before = await world.held('gas', 'ETH');
    const code = (await world.chain.client.getCode({ address: world.token }))!;
    await world.chain.client.setCode({ address: world.token, bytecode: '0xfe' });
    const hash = await execute(world, first).catch(revertedHash);
    await world.chain.client.setCode({ address: world.token, bytecode: code });
    for (let times = 0; times < 2; times += 1)
      expect(await confirm(OPERATIONS, id, hash)).toMatchObject({
        status: 409,
        body: { code: 'invalid_transition', field: 'txHash', message: expect.stringContaining('reverted') },
      });
    const cost = await feesOf(world.chain, [hash]);
    expect(await world.held('gas', 'ETH')).toBe(ether(unitsOf(before) + cost));
    const again = (await exported(OPERATIONS, id)).transactions[0];
    expect(again.nonce).toBe(first.nonce + 1);
    const done = await execute(world, again);
    expect((await confirm(OPERATIONS, id, done)).body.status).toBe('completed');
    expect(await world.held('gas', 'ETH')).toBe(
      ether(unitsOf(before) + cost + (await feesOf(world.chain, [done]))),
    );
  });

  it('books a revert that it has followed once, and follows the next one instead', async () => {
    const { chain, token } = world;
    const [wallet] = await world.wallets(1, 5_000_000n, '0.01');
    const { id } = await world.sweep(wallet!.id);
    const first = (await exported(OPERATIONS, id)).transactions[0];
    const before = await world.held('gas', 'ETH');
    const code = (await chain.client.getCode({ address: token }))!;
    await chain.client.setAutomine(false);
    const hash = await execute(world, first);
    expect((await confirm(OPERATIONS, id, hash)).body).toMatchObject({ status: 'confirming', txHash: hash });
    await chain.client.setCode({ address: token, bytecode: '0xfe' });
    await chain.client.mine({ blocks: 1 });
    await chain.client.setCode({ address: token, bytecode: code });
    await chain.client.setAutomine(true);
    expect((await confirm(OPERATIONS, id, hash)).status).toBe(409);
    const forgot = await world.read(id);
    expect([forgot.status, forgot.txHash]).toEqual(['awaiting_confirmation', undefined]);
    await world.advance(id);
    const cost = await feesOf(chain, [hash]);
    expect(await world.held('gas', 'ETH')).toBe(ether(unitsOf(before) + cost));
    const again = (await exported(OPERATIONS, id)).transactions[0];
    await chain.client.setAutomine(false);
    const done = await execute(world, again);
    expect((await confirm(OPERATIONS, id, done)).body.status).toBe('confirming');
    expect(await world.advance(id)).toMatchObject({ status: 'confirming' });
    await chain.client.mine({ blocks: 1 });
    await chain.client.setAutomine(true);
    expect(await world.lead(id)).toMatchObject({ status: 'completed' });
    expect(await world.held('gas', 'ETH')).toBe(
      ether(unitsOf(before) + cost + (await feesOf(chain, [done]))),
    );
  });

  it('books nothing for a revert of somebody else, though its nonce is the same', async () => {
    const [wallet, stranger] = await world.wallets(2, 5_000_000n, '0.01');
    const { id } = await world.sweep(wallet!.id);
    const { nonce } = (await exported(OPERATIONS, id)).transactions[0];
    const before = await world.held('gas', 'ETH');
    const data = transfer(world.treasury, 10n ** 15n);
    const hash = await sendAs(world.chain, stranger!.address, { to: world.token, data }).catch(revertedHash);
    expect((await world.chain.client.getTransaction({ hash })).nonce).toBe(nonce);
    const { status, body } = await confirm(OPERATIONS, id, hash);
    expect([status, body.message]).toEqual([409, expect.stringContaining('its sender is another one')]);
    expect(await world.held('gas', 'ETH')).toBe(before);
    expect((await exported(OPERATIONS, id)).transactions[0].nonce).toBe(nonce);
    await posted(world.admin, `${OPERATIONS}/${id}/fail`, { reason: 'test' });
  });

  it('books a revert after the end of an operation too, once, and shows it', async () => {
    const [wallet] = await world.wallets(1, 5_000_000n, '0.01');
    const { id } = await world.sweep(wallet!.id);
    await exported(OPERATIONS, id);
    await posted(world.admin, `${OPERATIONS}/${id}/fail`, { reason: 'test' });
    const before = await world.held('gas', 'ETH');
    const data = transfer(world.treasury, 10n ** 15n);
    const hash = await sendAs(world.chain, wallet!.address, { to: world.token, data }).catch(revertedHash);
    for (let times = 0; times < 2; times += 1) expect((await confirm(OPERATIONS, id, hash)).status).toBe(409);
    const cost = await feesOf(world.chain, [hash]);
    expect(await world.held('gas', 'ETH')).toBe(ether(unitsOf(before) + cost));
    expect(await world.read(id)).toMatchObject({ status: 'failed' });
    const breaks = await world.services.database.query('select kind, detail from breaks where subject = $1', [
      id,
    ]);
    expect(breaks).toEqual([{ kind: 'gas_operation_late', detail: hash }]);
    const next = await world.sweep(wallet!.id);
    const { message } = (await confirm(OPERATIONS, next.id, hash)).body;
    expect(message).toContain(`another operation, ${id}`);
    await posted(world.admin, `${OPERATIONS}/${next.id}/fail`, { reason: 'test' });
  });

  it('takes no transaction that is older, nor one whose nonce an ended operation was given', async () => {
    const { chain, token, treasury } = world;
    const [old, wallet] = await world.wallets(2, 9_000_000n, '0.01');
    const data = transfer(treasury, 2_000_000n);
    const early = await sendAs(chain, old!.address, { to: token, data });
    world.later(61_000);
    const late = await world.sweep(old!.id);
    expect((await confirm(OPERATIONS, late.id, early)).body.message).toContain('before the operation');
    await posted(world.admin, `${OPERATIONS}/${late.id}/fail`, { reason: 'test' });
    world.later(-61_000);

    const first = await world.sweep(wallet!.id);
    const { transactions } = await exported(OPERATIONS, first.id);
    await posted(world.admin, `${OPERATIONS}/${first.id}/fail`, { reason: 'test' });
    const second = await world.sweep(wallet!.id);
    const hash = await execute(world, transactions[0]);
    const { status, body } = await confirm(OPERATIONS, second.id, hash);
    expect([status, body.message]).toEqual([409, expect.stringContaining(first.id)]);
    expect((await confirm(OPERATIONS, first.id, hash)).body).toMatchObject({ movedAmount: '9.000000' });
    await posted(world.admin, `${OPERATIONS}/${second.id}/fail`, { reason: 'test' });
  });

  it('takes a hash for one operation alone', async () => {
    const [one] = await world.wallets(1, 3_000_000n, '0.01');
    const first = await world.sweep(one!.id);
    const hash = await execute(world, (await exported(OPERATIONS, first.id)).transactions[0]);
    expect((await confirm(OPERATIONS, first.id, hash)).body.status).toBe('completed');
    await world.chain.pay(world.token, one!.address, 3_000_000n);
    const second = await world.sweep(one!.id);
    const { status, body } = await confirm(OPERATIONS, second.id, hash);
    expect([status, body.message]).toEqual([409, expect.stringContaining('of another operation')]);
    await posted(world.admin, `${OPERATIONS}/${second.id}/fail`, { reason: 'test' });
  });

  it('follows what has too few confirmations, and completes it when it has them', async () => {
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

  it('gives the nonce of what was executed and is lost to the next, and shows it', async () => {
    const [wallet] = await world.wallets(1, 4_000_000n, '0.05');
    const before = await world.chain.client.snapshot();
    const first = await world.sweep(wallet!.id);
    const { transactions } = await exported(OPERATIONS, first.id);
    const hash = await execute(world, transactions[0]);
    expect((await confirm(OPERATIONS, first.id, hash)).body.status).toBe('completed');
    await world.chain.client.revert({ id: before });
    const second = await world.sweep(wallet!.id);
    expect((await exported(OPERATIONS, second.id)).transactions[0].nonce).toBe(0);
    const breaks = await world.services.database.query('select kind, detail from breaks where subject = $1', [
      first.id,
    ]);
    expect(breaks).toEqual([{ kind: 'gas_operation_vanished', detail: `${wallet!.address}/0` }]);
    await posted(world.admin, `${OPERATIONS}/${second.id}/fail`, { reason: 'test' });
    const isShown = async () => {
      await keepChainReading(world.api.services, 'local');
      const open = 'select from breaks where subject = $1 and resolved_at is null';
      return (await world.services.database.query(open, [first.id])).length > 0;
    };
    expect(await isShown()).toBe(true);
    const again = await execute(world, transactions[0]);
    expect(again).toBe(hash);
    expect(await isShown()).toBe(false);
  });

  it('expires after a day, and books what is executed later, with a break', async () => {
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
    const breaks = await world.services.database.query<{ kind: string }>(
      'select kind from breaks where subject = $1',
      [id],
    );
    expect(breaks).toEqual([{ kind: 'gas_operation_late' }]);
    expect((await confirm(OPERATIONS, id, hash)).body).toEqual(late.body);
  });

  it('gives the nonce of what was never executed to the next', async () => {
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

  it('gives no gas to a wallet that is allocated', async () => {
    const [wallet] = await world.wallets(1, 1n);
    await world.services.database.query("update wallets set status = 'allocated' where id = $1", [
      wallet!.id,
    ]);
    expect(await world.admin.call('POST', TOPUPS, { walletId: wallet!.id })).toMatchObject({
      status: 409,
      body: { code: 'invalid_transition', field: 'walletId', message: expect.stringContaining('allocated') },
    });
  });

  it('takes no station for a payer, though another one has taken its place', async () => {
    const { chain, admin, station } = world;
    const outside = getAddress(`0x${'5e'.repeat(20)}`);
    const stranger = getAddress(`0x${'5f'.repeat(20)}`);
    await fundNative(chain, outside, parseEther('1'));
    const put = (address: string) => admin.call('PUT', '/v1/gas-station/wallet', { chain: 'local', address });
    expect((await put(outside)).status).toBe(200);
    const [wallet] = await world.wallets(1, 1n);
    const { id } = await world.topup(wallet!.id);
    expect((await put(station)).status).toBe(200);
    const { database } = world.services;
    await database.query('delete from station_scans where address = $1', [outside]); // no node answered when it was named
    const block = { number: 1, hash: '0x1', parentHash: '0x0', at: new Date() };
    const paid = (from: string) => ({
      ...{ txHash: '0x1', ordinal: NATIVE, logIndex: null, token: null, units: 1n, block },
      ...{ from, to: wallet!.address },
    });
    const left = await sentByOthers(database, 'local', [paid(outside), paid(station), paid(stranger)]);
    expect(left.map(({ from }) => from)).toEqual([stranger]);
    await posted(admin, `${TOPUPS}/${id}/fail`, { reason: 'test' });
  });

  it('lists the open ones, and all, newest first, in pages', async () => {
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

/** anvil mines what reverts, and tells the sender as a failure. */
async function revertedHash(): Promise<`0x${string}`> {
  const { transactions } = await world.chain.client.getBlock();
  return transactions[0]!;
}
