import { advanceGasOperation } from '../../../src/chain/gas-station/operations/steps/advance';
import { witnessOf } from '../../../src/chain/networks/nodes';
import { keepChainReading } from '../../../src/chain/reconciliation/readings';
import type { ChainServices } from '../../../src/chain/services';
import { holdingsOn } from '../../../src/chain/wallets/holdings';
import { findWallets } from '../../../src/chain/wallets/operations';
import { checkLedger } from '../../../src/kernel/ledger/check';
import { heldByBooks } from '../../../src/transfers/chain-deposits/held';
import { gasDesk, SWEEPS, TOPUPS } from './desk';
import { expectOk, newHash, STATION, TREASURY, TRON_USDT, type TronWorld, tronWorld } from './support';

let world: TronWorld;
let desk: ReturnType<typeof gasDesk>;
beforeAll(async () => {
  world = await tronWorld();
  desk = gasDesk(world);
  await expectOk(world.admin.call('PUT', '/v1/gas-station/wallet', { chain: 'tron', address: STATION }));
});
afterEach(async () => expect(await checkLedger(world.api.database)).toEqual([]));
afterAll(() => world.close());

const failing = ({ checks }: { checks: { name: string; ok: boolean }[] }) =>
  checks.filter(({ ok }) => !ok).map(({ name }) => name);

describe('what a wallet holds', () => {
  it('is what the books say, and gas what was noted', async () => {
    const { id, address } = await world.paid('12.5');
    expect(await desk.balance(address)).toMatchObject({
      ...{ balances: [{ asset: 'USDT', balance: '12.500000' }], gasBalance: null },
      detail: expect.stringContaining('By the books'),
    });
    const candidate = (await desk.get('/v1/gas-station/sweep-candidates')).data.find(
      (each: { walletId: string }) => each.walletId === id,
    );
    expect(candidate).toMatchObject({
      ...{
        asset: 'USDT',
        balance: '12.500000',
        sweepable: '12.500000',
        gasBalance: '0.000000',
        needsGas: true,
      },
      detail: expect.stringContaining('By the books'),
    });
    const short = await desk.preflight(id);
    expect([failing(short), short.amount]).toEqual([['gas'], '12.500000']);
    expect(short.checks.find((each: { name: string }) => each.name === 'balance').detail).toMatch(
      /By the books/,
    );
    const needing = (await desk.get('/v1/gas-station/topup-candidates?chain=tron')).data;
    expect(needing).toContainEqual(expect.objectContaining({ walletId: id, topupAmount: '40.000000' }));
    await desk.note(address, '31');
    expect((await desk.balance(address)).gasBalance).toBe('31.000000');
    expect(await desk.preflight(id)).toMatchObject({ ok: true });
    await keepChainReading(world.api.services, 'tron');
    expect((await desk.get('/v1/gas-station/status/tron')).dust).toMatchObject([
      { asset: 'USDT', belowMinimum: '0.000000', belowLedger: '0.000000' },
    ]);
  });

  it('is read once of the books, for all its tokens', async () => {
    const { database, services } = world.api;
    const [one, other] = await Promise.all(['3', '4'].map((amount) => world.paid(amount)));
    const wallets = await findWallets(database, [one!.id, other!.id]);
    const asked: string[][] = [];
    const counted: ChainServices['heldByBooks'] = (sql, chain, addresses) => {
      asked.push([...addresses]);
      return heldByBooks(sql, chain, addresses);
    };
    const witnessed = await witnessOf(services, database, 'tron');
    const { of } = holdingsOn({ heldByBooks: counted }, database, witnessed);
    const [first, units] = [wallets.slice(0, 1), [TRON_USDT, STATION, TRON_USDT]];
    await Promise.all(units.map((token) => of(first, token)));
    const both = await of(wallets, TRON_USDT);
    expect(both.map(String).sort()).toEqual(['3000000', '4000000']);
    expect(asked).toEqual(wallets.map(({ address }) => [address]));
  });

  it('is less by what was taken back', async () => {
    const address = await world.allocate(await world.account());
    const { id } = (await world.record(address, '9')).json();
    expect((await desk.balance(address)).balances).toEqual([{ asset: 'USDT', balance: '9.000000' }]);
    await world.release(address);
    await desk.note(address, '100');
    const walletId = await world.walletId(address);
    const sweep = await expectOk(desk.post(SWEEPS, { walletId, asset: 'USDT' }));
    await world.takeBack(id);
    expect((await desk.balance(address)).balances).toEqual([{ asset: 'USDT', balance: '0.000000' }]);
    expect((await desk.get(`${SWEEPS}/${sweep.id}/export`)).code).toBe('invalid_transition');
  });
});

describe('a sweep', () => {
  it('is exported for a person, and books what he says at once', async () => {
    const operation = await desk.swept('12.5');
    const { id, wallet } = operation;
    expect(operation).toMatchObject({
      ...{ type: 'sweep', status: 'pending', execution: 'manual', strategy: 'transfer', amount: '12.500000' },
      ...{ token: TRON_USDT, from: wallet.address, to: TREASURY },
    });
    await advanceGasOperation(world.api.services, id);
    const handed = await desk.exported(SWEEPS, id);
    const account = '7e5f4552091a69125d5dfcb7b8c2659029395bdf';
    const parameter = `${account.padStart(64, '0')}${(12_500_000).toString(16).padStart(64, '0')}`;
    expect(handed.operation.status).toBe('awaiting_confirmation');
    expect(handed.transactions).toEqual([
      {
        ...{ type: 'trc20', from: wallet.address, to: TREASURY, asset: 'USDT' },
        ...{ units: '12500000', amount: '12.500000', contract: TRON_USDT },
        ...{ functionSelector: 'transfer(address,uint256)', parameter, data: `a9059cbb${parameter}` },
      },
    ]);
    const file = await world.admin.call('GET', `${SWEEPS}/${id}/export?format=file`);
    expect(file.headers.get('content-disposition')).toBe(`attachment; filename="${id}.json"`);
    const [pool, treasury] = [await desk.held('pool'), await desk.held('treasury')];
    const txHash = newHash();
    const done = await desk.post(`${SWEEPS}/${id}/confirm`, { txHash: txHash.toUpperCase() });
    expect([done.status, done.body]).toEqual([
      200,
      expect.objectContaining({ status: 'completed', txHash, movedAmount: '12.500000' }),
    ]);
    expect(done.body).not.toHaveProperty('fee');
    expect([await desk.held('pool'), await desk.held('treasury')]).toEqual([pool + 12.5, treasury - 12.5]);
    expect((await desk.balance(wallet.address)).balances).toEqual([{ asset: 'USDT', balance: '0.000000' }]);
    const again = await desk.post(`${SWEEPS}/${id}/confirm`, { txHash });
    expect([again.status, again.text]).toEqual([200, done.text]);
    expect(await desk.held('pool')).toBe(pool + 12.5);
    expect((await desk.post(`${SWEEPS}/${id}/confirm`, { txHash: newHash() })).status).toBe(409);
    const lines = await world.api.database.query<{ action: string; actor: string }>(
      `select action, actor from audit_log where subject = $1 order by id`,
      [id],
    );
    expect(lines.map(({ action }) => action)).toContain('gas-station.operation.confirm');
    expect(new Set(lines.map(({ actor }) => actor))).toEqual(new Set([world.admin.clientId]));
    expect(await advanceGasOperation(world.api.services, id)).toEqual({
      ...{ status: 'completed', open: false, lookAt: null },
    });
  });

  it('is confirmed by a hash of its own, of two at once by one', async () => {
    const [one, other] = [await desk.swept('6'), await desk.swept('7')];
    const txHash = newHash();
    for (const wrong of ['ab', `0x${'g'.repeat(64)}`, ''])
      expect((await desk.post(`${SWEEPS}/${one.id}/confirm`, { txHash: wrong })).body.field).toBe('txHash');
    const both = await Promise.all(
      [one, other].map(({ id }) => desk.post(`${SWEEPS}/${id}/confirm`, { txHash })),
    );
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    const refused = both.find(({ status }) => status === 409);
    expect(refused?.body).toMatchObject({ code: 'invalid_transition', field: 'txHash' });
  });

  it('is failed, or expires, by a person’s or the time’s word alone; what is told later is booked and shown', async () => {
    const [failed, expired] = [await desk.swept('6'), await desk.swept('7')];
    const ended = await desk.post(`${SWEEPS}/${failed.id}/fail`, { reason: 'not needed' });
    expect(ended.body).toMatchObject({ status: 'failed', failure: { code: 'by_operator' } });
    await world.api.database.query(
      `update gas_operations set expires_at = now() - interval '1 minute' where id = $1`,
      [expired.id],
    );
    expect(await advanceGasOperation(world.api.services, expired.id)).toMatchObject({ status: 'expired' });
    const late = await desk.post(`${SWEEPS}/${expired.id}/confirm`, { txHash: newHash() });
    expect(late.body).toMatchObject({ status: 'expired', movedAmount: '7.000000' });
    const breaks = await world.api.database.query(
      `select kind, amount::float8 as amount, currency from breaks where subject = $1`,
      [expired.id],
    );
    expect(breaks).toEqual([{ kind: 'gas_operation_late', amount: 7, currency: 'USDT' }]);
  });

  it('moves no more than the books have on the wallet', async () => {
    const [first, pool] = [await desk.swept('8'), await desk.held('pool')];
    await desk.post(`${SWEEPS}/${first.id}/fail`, { reason: 'again' });
    const second = await desk.sweep(first.wallet.id);
    await expectOk(desk.post(`${SWEEPS}/${second.id}/confirm`, { txHash: newHash() }));
    const refused = await desk.post(`${SWEEPS}/${first.id}/confirm`, { txHash: newHash() });
    expect([refused.status, refused.body.code]).toEqual([409, 'invalid_transition']);
    expect(await desk.held('pool')).toBe(pool + 8);
  });

  it('is of a wallet that nobody has, with something on it', async () => {
    const address = await world.allocate(await world.account());
    const refused = await desk.post(SWEEPS, { walletId: await world.walletId(address), asset: 'USDT' });
    expect(refused.body.code).toBe('invalid_transition');
    expect(refused.body.message).toMatch(/balance .*not_allocated/s);
  });
});

describe('a top-up', () => {
  it('is in TRX, which the ledger does not have: nothing is booked, and the wallet’s gas is noted', async () => {
    const wallet = await desk.ready('10', '2.5');
    const made = await expectOk(desk.post(TOPUPS, { walletId: wallet.id }));
    expect(made).toMatchObject({
      ...{ type: 'topup', execution: 'manual', asset: 'TRX', amount: '40.000000' },
      ...{ from: STATION, to: wallet.address },
    });
    const { transactions } = await desk.get(`${TOPUPS}/${made.id}/export`);
    expect(transactions).toEqual([
      {
        type: 'native',
        from: STATION,
        to: wallet.address,
        asset: 'TRX',
        units: '40000000',
        amount: '40.000000',
      },
    ]);
    const legs = async () => (await world.api.database.query('select 1 from ledger_legs')).length;
    const before = await legs();
    const done = await desk.post(`${TOPUPS}/${made.id}/confirm`, { txHash: newHash() });
    expect(done.body).toMatchObject({ status: 'completed', movedAmount: '40.000000' });
    expect(await legs()).toBe(before);
    expect((await desk.balance(wallet.address)).gasBalance).toBe('42.500000');
  });

  it('is in what was looked at since its export, and is noted once', async () => {
    const wallet = await desk.ready('10', '2.5');
    const [one, gas] = [
      await desk.topup(wallet.id),
      async () => (await desk.balance(wallet.address)).gasBalance,
    ];
    await desk.note(wallet.address, '42.5');
    await expectOk(desk.post(`${TOPUPS}/${one.id}/confirm`, { txHash: newHash() }));
    expect(await gas()).toBe('42.500000');
    expect((await desk.takeBack(one.id)).json().status).toBe('failed');
    expect(await gas()).toBe('42.500000'); // as somebody has seen it
    // As it is kept now, and as the release before has left it: without what was counted.
    for (const kept of ['gas_counted', 'null']) {
      await desk.note(wallet.address, '1');
      const other = await desk.topup(wallet.id);
      await expectOk(desk.post(`${TOPUPS}/${other.id}/confirm`, { txHash: newHash() }));
      await world.api.database.query(`update gas_operations set gas_counted = ${kept} where id = $1`, [
        other.id,
      ]);
      expect(await gas()).toBe('41.000000');
      expect((await desk.takeBack(other.id)).code).toBe(0);
      expect(await gas()).toBe('1.000000');
    }
  });

  it('is counted from its first export on, however often that is read again', async () => {
    const wallet = await desk.ready('10', '10');
    const { id } = await desk.topup(wallet.id);
    await desk.note(wallet.address, '50');
    await desk.exported(TOPUPS, id);
    await expectOk(desk.post(`${TOPUPS}/${id}/confirm`, { txHash: newHash() }));
    expect((await desk.balance(wallet.address)).gasBalance).toBe('50.000000');
  });

  it('has six decimals at most', async () => {
    const { id } = await desk.ready('10');
    const refused = await desk.post(TOPUPS, { walletId: id, amount: '1.0000001' });
    expect([refused.status, refused.body.field]).toEqual([400, 'amount']);
  });

  it('that is told late is shown without an amount in the ledger', async () => {
    const wallet = await desk.ready('10');
    const { id } = await desk.topup(wallet.id);
    await desk.post(`${TOPUPS}/${id}/fail`, { reason: 'not needed' });
    await expectOk(desk.post(`${TOPUPS}/${id}/confirm`, { txHash: newHash() }));
    const breaks = await world.api.database.query('select kind, currency from breaks where subject = $1', [
      id,
    ]);
    expect(breaks).toEqual([{ kind: 'gas_operation_late', currency: null }]);
  });
});

describe('what only a node could tell', () => {
  it('is null in the status, and refused of a scan and a reconciliation', async () => {
    const status = await desk.get('/v1/gas-station/status/tron');
    expect(status).toMatchObject({
      nativeAsset: 'TRX',
      gasPrice: null,
      station: { address: STATION, balance: null },
    });
    const scan = await desk.post('/v1/gas-station/station-topups/scan', { chain: 'tron' });
    expect([scan.status, scan.body.code]).toEqual([409, 'invalid_transition']);
    const malformed = await desk.post('/v1/gas-station/station-topups/scan', {
      chain: 'tron',
      address: '0x1',
    });
    expect([malformed.status, malformed.body.field]).toEqual([400, 'address']);
    const one = await world.operator('chain', 'reconcile', 'tron', '--json');
    expect([one.code, JSON.parse(one.err).message]).toEqual([4, expect.stringContaining('No node is asked')]);
    const all = await world.operator('chain', 'reconcile');
    expect([all.code, all.text]).toEqual([0, expect.stringContaining('tron: not compared')]);
  });

  it('is noted of a station of ours', async () => {
    const made = await expectOk(desk.post('/v1/gas-station/wallet/generate', { chain: 'tron' }));
    await expectOk(
      world.admin.call('PUT', '/v1/gas-station/wallet', { chain: 'tron', address: made.address }),
    );
    await desk.note(made.address, '500');
    expect((await desk.get('/v1/gas-station/status/tron')).station).toMatchObject({
      ...{ address: made.address, execution: 'local', balance: '500.000000' },
    });
  });
});
