import { advanceGasOperation } from '../../../src/chain/gas-station/operations/steps/advance';
import { keepChainReading } from '../../../src/chain/reconciliation/readings';
import { checkLedger } from '../../../src/kernel/ledger/check';
import { setAdminLimit } from '../../support/operator';
import { expectOk, newHash, STATION, TREASURY, TRON_USDT, type TronWorld, tronWorld } from './support';

const SWEEPS = '/v1/gas-station/operations';
const TOPUPS = '/v1/gas-station/topup-operations';

let world: TronWorld;
beforeAll(async () => {
  world = await tronWorld();
  await expectOk(world.admin.call('PUT', '/v1/gas-station/wallet', { chain: 'tron', address: STATION }));
});
afterEach(async () => expect(await checkLedger(world.api.database)).toEqual([]));
afterAll(() => world.close());

const get = async (path: string) => (await world.admin.call('GET', path)).body;
const post = (path: string, body: object = {}) => world.admin.call('POST', path, body);
const note = (address: string, gasBalance: string) =>
  expectOk(world.admin.call('PUT', `/v1/wallets/${address}/gas-balance?chain=tron`, { gasBalance }));
const balance = (address: string) => get(`/v1/wallets/${address}/balance?chain=tron`);
const preflight = (id: string) => get(`/v1/gas-station/sweep-preflight/${id}`);
const failing = ({ checks }: { checks: { name: string; ok: boolean }[] }) =>
  checks.filter(({ ok }) => !ok).map(({ name }) => name);
const held = async (place: 'pool' | 'treasury') => Number(await world.booked(`${place}@tron:USDT`));

/** A wallet that has so much by the books, and gas that was noted. */
async function ready(amount: string, gas = '100') {
  const wallet = await world.paid(amount);
  await note(wallet.address, gas);
  return wallet;
}
/** A sweep as it was made; it is exported since. */
async function swept(amount: string) {
  const wallet = await ready(amount);
  const made = await expectOk(post(SWEEPS, { walletId: wallet.id, asset: 'USDT' }));
  await exported(SWEEPS, made.id);
  return { ...made, wallet };
}
const exported = (path: string, id: string) => expectOk(world.admin.call('GET', `${path}/${id}/export`));
async function toppedUp(walletId: string) {
  const made = await expectOk(post(TOPUPS, { walletId }));
  await exported(TOPUPS, made.id);
  return made;
}
const takeBack = (id: string) =>
  world.operator('gas-operation', 'take-back', id, '--reason', 'another wallet', '--json');
const breaksOf = (subject: string, kind: string) =>
  world.api.database.query<{ detail: string }>(
    'select detail from breaks where subject = $1 and kind = $2 and resolved_at is null',
    [subject, kind],
  );

describe('what a wallet holds', () => {
  it('is what the books say, and gas what was noted', async () => {
    const { id, address } = await world.paid('12.5');
    expect(await balance(address)).toMatchObject({
      ...{ balances: [{ asset: 'USDT', balance: '12.500000' }], gasBalance: null },
      detail: expect.stringContaining('By the books'),
    });
    const candidate = (await get('/v1/gas-station/sweep-candidates')).data.find(
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
    const short = await preflight(id);
    expect([failing(short), short.amount]).toEqual([['gas'], '12.500000']);
    expect(short.checks.find((each: { name: string }) => each.name === 'balance').detail).toMatch(
      /By the books/,
    );
    const needing = (await get('/v1/gas-station/topup-candidates?chain=tron')).data;
    expect(needing).toContainEqual(expect.objectContaining({ walletId: id, topupAmount: '40.000000' }));
    await note(address, '31');
    expect((await balance(address)).gasBalance).toBe('31.000000');
    expect(await preflight(id)).toMatchObject({ ok: true });
    await keepChainReading(world.api.services, 'tron');
    expect((await get('/v1/gas-station/status/tron')).dust).toMatchObject([
      { asset: 'USDT', belowMinimum: '0.000000', belowLedger: '0.000000' },
    ]);
  });

  it('is less by what was taken back', async () => {
    const address = await world.allocate(await world.account());
    const { id } = (await world.record(address, '9')).json();
    expect((await balance(address)).balances).toEqual([{ asset: 'USDT', balance: '9.000000' }]);
    await world.release(address);
    await note(address, '100');
    const walletId = await world.walletId(address);
    const sweep = await expectOk(post(SWEEPS, { walletId, asset: 'USDT' }));
    await world.operator('chain-deposit', 'take-back', id, '--reason', 'not there');
    expect((await balance(address)).balances).toEqual([{ asset: 'USDT', balance: '0.000000' }]);
    expect((await get(`${SWEEPS}/${sweep.id}/export`)).code).toBe('invalid_transition');
  });
});

describe('a sweep', () => {
  it('is exported for a person, and books what he says at once', async () => {
    const operation = await swept('12.5');
    const { id, wallet } = operation;
    expect(operation).toMatchObject({
      ...{ type: 'sweep', status: 'pending', execution: 'manual', strategy: 'transfer', amount: '12.500000' },
      ...{ token: TRON_USDT, from: wallet.address, to: TREASURY },
    });
    await advanceGasOperation(world.api.services, id);
    const handed = await exported(SWEEPS, id);
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
    const [pool, treasury] = [await held('pool'), await held('treasury')];
    const txHash = newHash();
    const done = await post(`${SWEEPS}/${id}/confirm`, { txHash: txHash.toUpperCase() });
    expect([done.status, done.body]).toEqual([
      200,
      expect.objectContaining({ status: 'completed', txHash, movedAmount: '12.500000' }),
    ]);
    expect(done.body).not.toHaveProperty('fee');
    expect([await held('pool'), await held('treasury')]).toEqual([pool + 12.5, treasury - 12.5]);
    expect((await balance(wallet.address)).balances).toEqual([{ asset: 'USDT', balance: '0.000000' }]);
    const again = await post(`${SWEEPS}/${id}/confirm`, { txHash });
    expect([again.status, again.text]).toEqual([200, done.text]);
    expect(await held('pool')).toBe(pool + 12.5);
    expect((await post(`${SWEEPS}/${id}/confirm`, { txHash: newHash() })).status).toBe(409);
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
    const [one, other] = [await swept('6'), await swept('7')];
    const txHash = newHash();
    for (const wrong of ['ab', `0x${'g'.repeat(64)}`, ''])
      expect((await post(`${SWEEPS}/${one.id}/confirm`, { txHash: wrong })).body.field).toBe('txHash');
    const both = await Promise.all([one, other].map(({ id }) => post(`${SWEEPS}/${id}/confirm`, { txHash })));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    const refused = both.find(({ status }) => status === 409);
    expect(refused?.body).toMatchObject({ code: 'invalid_transition', field: 'txHash' });
  });

  it('is failed, or expires, by a person’s or the time’s word alone; what is told later is booked and shown', async () => {
    const [failed, expired] = [await swept('6'), await swept('7')];
    const ended = await post(`${SWEEPS}/${failed.id}/fail`, { reason: 'not needed' });
    expect(ended.body).toMatchObject({ status: 'failed', failure: { code: 'by_operator' } });
    await world.api.database.query(
      `update gas_operations set expires_at = now() - interval '1 minute' where id = $1`,
      [expired.id],
    );
    expect(await advanceGasOperation(world.api.services, expired.id)).toMatchObject({ status: 'expired' });
    const late = await post(`${SWEEPS}/${expired.id}/confirm`, { txHash: newHash() });
    expect(late.body).toMatchObject({ status: 'expired', movedAmount: '7.000000' });
    const breaks = await world.api.database.query(
      `select kind, amount::float8 as amount, currency from breaks where subject = $1`,
      [expired.id],
    );
    expect(breaks).toEqual([{ kind: 'gas_operation_late', amount: 7, currency: 'USDT' }]);
  });

  it('moves no more than the books have on the wallet', async () => {
    const [first, pool] = [await swept('8'), await held('pool')];
    await post(`${SWEEPS}/${first.id}/fail`, { reason: 'again' });
    const second = await expectOk(post(SWEEPS, { walletId: first.wallet.id, asset: 'USDT' }));
    await exported(SWEEPS, second.id);
    await expectOk(post(`${SWEEPS}/${second.id}/confirm`, { txHash: newHash() }));
    const refused = await post(`${SWEEPS}/${first.id}/confirm`, { txHash: newHash() });
    expect([refused.status, refused.body.code]).toEqual([409, 'invalid_transition']);
    expect(await held('pool')).toBe(pool + 8);
  });

  it('is of a wallet that nobody has, with something on it', async () => {
    const address = await world.allocate(await world.account());
    const refused = await post(SWEEPS, { walletId: await world.walletId(address), asset: 'USDT' });
    expect(refused.body.code).toBe('invalid_transition');
    expect(refused.body.message).toMatch(/balance .*not_allocated/s);
  });
});

describe('what a person confirms', () => {
  const confirm = (id: string, txHash = newHash(), path = SWEEPS) =>
    post(`${path}/${id}/confirm`, { txHash });

  it('was exported, and its hash is no deposit’s', async () => {
    const wallet = await ready('6');
    const { id } = await expectOk(post(SWEEPS, { walletId: wallet.id, asset: 'USDT' }));
    const early = await confirm(id);
    expect([early.status, early.body.code]).toEqual([409, 'invalid_transition']);
    expect(early.body.message).toContain('never exported');
    await exported(SWEEPS, id);
    const [address, hash] = [await world.allocate(await world.account()), newHash()];
    const deposit = (await world.record(address, '6', { hash })).json();
    const taken = await confirm(id, hash);
    expect([taken.status, taken.body.field]).toEqual([409, 'txHash']);
    expect(taken.body.message).toContain(deposit.id);
    await world.operator('chain-deposit', 'take-back', deposit.id, '--reason', 'it was the sweep');
    expect((await confirm(id, hash)).body.status).toBe('completed');
    const back = await world.record(address, '6', { hash });
    expect(JSON.parse(back.err)).toMatchObject({ field: 'txHash', message: expect.stringContaining(id) });
  });

  it('takes two above the limit: over HTTP it is refused, of all that is told of a wallet in a day', async () => {
    const first = await swept('600');
    const { id: walletId, address } = first.wallet;
    expect((await confirm(first.id)).body.status).toBe('completed');
    const again = await world.record(address, '500', { at: new Date(Date.now() - 86_400_000).toISOString() });
    expect(again.code).toBe(0);
    await setAdminLimit(world.api.database, '1000');
    const { id } = await expectOk(post(SWEEPS, { walletId, asset: 'USDT' }));
    await exported(SWEEPS, id);
    const [txHash, pool] = [newHash(), await held('pool')];
    const refused = await confirm(id, txHash);
    expect([refused.status, refused.body.code]).toEqual([409, 'limit_exceeded']);
    expect(await held('pool')).toBe(pool);
    const asked = await world.operator(
      ...['gas-operation', 'confirm', id, '--hash', txHash, '--reason', 'seen', '--json'],
    );
    const { approval } = asked.json();
    expect(approval).toMatchObject({ kind: 'gas-operation.confirm', amount: '500.000000' });
    const { result } = (await world.second('approval', 'approve', approval.id, '--json')).json();
    expect(result).toEqual({ id, status: 'completed' });
    expect(await held('pool')).toBe(pool + 500);
    await setAdminLimit(world.api.database, '1000000');
  });

  it('is taken back: the books, the hash and the wallet are as before, and another can be ordered', async () => {
    const [operation, txHash] = [await swept('9'), newHash()];
    const { id, wallet } = operation;
    const before = [await held('pool'), await held('treasury')];
    expect(JSON.parse((await takeBack(id)).err).code).toBe('invalid_transition');
    await expectOk(confirm(id, txHash));
    const back = await Promise.all([takeBack(id), takeBack(id)]);
    expect(back.map(({ code }) => code).sort()).toEqual([0, 4]);
    expect(back.find(({ code }) => code === 0)?.json()).toEqual({ id, status: 'failed' });
    expect([await held('pool'), await held('treasury')]).toEqual(before);
    const shown = await get(`${SWEEPS}/${id}`);
    expect(shown).toMatchObject({
      status: 'failed',
      failure: { code: 'taken_back', reason: 'another wallet' },
    });
    for (const name of ['txHash', 'movedAmount', 'executedAt']) expect(shown).not.toHaveProperty(name);
    expect((await balance(wallet.address)).balances[0].balance).toBe('9.000000');
    const [line] = await world.api.database.query(
      `select actor, before, after from audit_log where subject = $1 and action = 'gas-operation.take-back'`,
      [id],
    );
    expect(line).toMatchObject({
      ...{ actor: 'operator:ida', before: { status: 'completed', txHash } },
      after: { status: 'failed', reason: 'another wallet' },
    });
    const next = await expectOk(post(SWEEPS, { walletId: wallet.id, asset: 'USDT' }));
    await exported(SWEEPS, next.id);
    expect((await confirm(next.id, txHash)).body).toMatchObject({ status: 'completed', txHash });
  });

  it('is taken back of an operation that had ended before, and shown again when it is told again', async () => {
    const [{ id }, txHash] = [await swept('6'), newHash()];
    await post(`${SWEEPS}/${id}/fail`, { reason: 'not needed' });
    await expectOk(confirm(id, txHash));
    expect(await breaksOf(id, 'gas_operation_late')).toEqual([{ detail: txHash }]);
    expect((await takeBack(id)).json()).toEqual({ id, status: 'failed' });
    expect(await breaksOf(id, 'gas_operation_late')).toEqual([]);
    expect((await get(`${SWEEPS}/${id}`)).failure).toEqual({ code: 'by_operator', reason: 'not needed' });
    await expectOk(confirm(id, txHash));
    expect(await breaksOf(id, 'gas_operation_late')).toEqual([{ detail: txHash }]);
  });

  it('of what was taken back since is shown, until it is taken back too', async () => {
    const address = await world.allocate(await world.account());
    const at = new Date().toISOString();
    const deposit = (await world.record(address, '9', { at })).json();
    await world.release(address);
    await note(address, '100');
    const walletId = await world.walletId(address);
    const { id } = await expectOk(post(SWEEPS, { walletId, asset: 'USDT' }));
    await exported(SWEEPS, id);
    await expectOk(confirm(id));
    await world.operator('chain-deposit', 'take-back', deposit.id, '--reason', 'not there');
    const shown = () => breaksOf(walletId, 'chain_holding_below_zero');
    expect(await shown()).toEqual([{ detail: expect.stringContaining(id) }]);
    const [open] = await world.api.database.query(
      `select amount::float8 as amount, currency from breaks where subject = $1`,
      [walletId],
    );
    expect(open).toEqual({ amount: 9, currency: 'USDT' });
    expect((await world.record(address, '4', { at })).code).toBe(0);
    expect(await shown()).toHaveLength(1);
    expect((await takeBack(id)).code).toBe(0);
    expect(await shown()).toEqual([]);
    expect((await balance(address)).balances[0].balance).toBe('4.000000');
  });
});

describe('a top-up', () => {
  it('is in TRX, which the ledger does not have: nothing is booked, and the wallet’s gas is noted', async () => {
    const wallet = await ready('10', '2.5');
    const made = await expectOk(post(TOPUPS, { walletId: wallet.id }));
    expect(made).toMatchObject({
      ...{ type: 'topup', execution: 'manual', asset: 'TRX', amount: '40.000000' },
      ...{ from: STATION, to: wallet.address },
    });
    const { transactions } = await get(`${TOPUPS}/${made.id}/export`);
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
    const done = await post(`${TOPUPS}/${made.id}/confirm`, { txHash: newHash() });
    expect(done.body).toMatchObject({ status: 'completed', movedAmount: '40.000000' });
    expect(await legs()).toBe(before);
    expect((await balance(wallet.address)).gasBalance).toBe('42.500000');
  });

  it('is in what was looked at since its export, and is noted once', async () => {
    const wallet = await ready('10', '2.5');
    const [one, gas] = [await toppedUp(wallet.id), async () => (await balance(wallet.address)).gasBalance];
    await note(wallet.address, '42.5');
    await expectOk(post(`${TOPUPS}/${one.id}/confirm`, { txHash: newHash() }));
    expect(await gas()).toBe('42.500000');
    expect((await takeBack(one.id)).json().status).toBe('failed');
    expect(await gas()).toBe('42.500000'); // as somebody has seen it
    await note(wallet.address, '1');
    const other = await toppedUp(wallet.id);
    await expectOk(post(`${TOPUPS}/${other.id}/confirm`, { txHash: newHash() }));
    expect(await gas()).toBe('41.000000');
    expect((await takeBack(other.id)).code).toBe(0);
    expect(await gas()).toBe('1.000000');
  });

  it('has six decimals at most', async () => {
    const { id } = await ready('10');
    const refused = await post(TOPUPS, { walletId: id, amount: '1.0000001' });
    expect([refused.status, refused.body.field]).toEqual([400, 'amount']);
  });

  it('that is told late is shown without an amount in the ledger', async () => {
    const wallet = await ready('10');
    const { id } = await toppedUp(wallet.id);
    await post(`${TOPUPS}/${id}/fail`, { reason: 'not needed' });
    await expectOk(post(`${TOPUPS}/${id}/confirm`, { txHash: newHash() }));
    const breaks = await world.api.database.query('select kind, currency from breaks where subject = $1', [
      id,
    ]);
    expect(breaks).toEqual([{ kind: 'gas_operation_late', currency: null }]);
  });
});

describe('what only a node could tell', () => {
  it('is null in the status, and refused of a scan and a reconciliation', async () => {
    const status = await get('/v1/gas-station/status/tron');
    expect(status).toMatchObject({
      nativeAsset: 'TRX',
      gasPrice: null,
      station: { address: STATION, balance: null },
    });
    const scan = await post('/v1/gas-station/station-topups/scan', { chain: 'tron' });
    expect([scan.status, scan.body.code]).toEqual([409, 'invalid_transition']);
    const malformed = await post('/v1/gas-station/station-topups/scan', { chain: 'tron', address: '0x1' });
    expect([malformed.status, malformed.body.field]).toEqual([400, 'address']);
    const one = await world.operator('chain', 'reconcile', 'tron', '--json');
    expect([one.code, JSON.parse(one.err).message]).toEqual([4, expect.stringContaining('No node is asked')]);
    const all = await world.operator('chain', 'reconcile');
    expect([all.code, all.text]).toEqual([0, expect.stringContaining('tron: not compared')]);
  });

  it('is noted of a station of ours', async () => {
    const made = await expectOk(post('/v1/gas-station/wallet/generate', { chain: 'tron' }));
    await expectOk(
      world.admin.call('PUT', '/v1/gas-station/wallet', { chain: 'tron', address: made.address }),
    );
    await note(made.address, '500');
    expect((await get('/v1/gas-station/status/tron')).station).toMatchObject({
      ...{ address: made.address, execution: 'local', balance: '500.000000' },
    });
  });
});
