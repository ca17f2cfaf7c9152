import { checkLedger } from '../../../src/kernel/ledger/check';
import { setAdminLimit } from '../../support/operator';
import { gasDesk, SWEEPS } from './desk';
import { expectOk, newHash, type TronWorld, tronWorld } from './support';

/** What a person has confirmed of a sweep or a top-up. */
let world: TronWorld;
let desk: ReturnType<typeof gasDesk>;
beforeAll(async () => {
  world = await tronWorld();
  desk = gasDesk(world);
});
afterEach(async () => expect(await checkLedger(world.api.database)).toEqual([]));
afterAll(() => world.close());

const confirm = (id: string, txHash = newHash(), path = SWEEPS) =>
  desk.post(`${path}/${id}/confirm`, { txHash });

it('was exported, and its hash is no deposit’s', async () => {
  const wallet = await desk.ready('6');
  const { id } = await expectOk(desk.post(SWEEPS, { walletId: wallet.id, asset: 'USDT' }));
  const early = await confirm(id);
  expect([early.status, early.body.code]).toEqual([409, 'invalid_transition']);
  expect(early.body.message).toContain('never exported');
  await desk.exported(SWEEPS, id);
  const [address, hash] = [await world.allocate(await world.account()), newHash()];
  const deposit = (await world.record(address, '6', { hash })).json();
  const taken = await confirm(id, hash);
  expect([taken.status, taken.body.field]).toEqual([409, 'txHash']);
  expect(taken.body.message).toContain(deposit.id);
  await world.takeBack(deposit.id);
  expect((await confirm(id, hash)).body.status).toBe('completed');
  const back = await world.record(address, '6', { hash });
  expect(JSON.parse(back.err)).toMatchObject({ field: 'txHash', message: expect.stringContaining(id) });
});

it('takes two above the limit: over HTTP it is refused, of all that is told of a wallet in a day', async () => {
  const first = await desk.swept('600');
  const { id: walletId, address } = first.wallet;
  expect((await confirm(first.id)).body.status).toBe('completed');
  const again = await world.record(address, '500', { at: new Date(Date.now() - 86_400_000).toISOString() });
  expect(again.code).toBe(0);
  await setAdminLimit(world.api.database, '1000');
  const { id } = await desk.sweep(walletId);
  const [txHash, pool] = [newHash(), await desk.held('pool')];
  const refused = await confirm(id, txHash);
  expect([refused.status, refused.body.code]).toEqual([409, 'limit_exceeded']);
  expect(await desk.held('pool')).toBe(pool);
  const asked = await world.operator(
    ...['gas-operation', 'confirm', id, '--hash', txHash, '--reason', 'seen', '--json'],
  );
  const { approval } = asked.json();
  expect(approval).toMatchObject({ kind: 'gas-operation.confirm', amount: '500.000000' });
  const { result } = (await world.second('approval', 'approve', approval.id, '--json')).json();
  expect(result).toEqual({ id, status: 'completed' });
  expect(await desk.held('pool')).toBe(pool + 500);
  await setAdminLimit(world.api.database, '1000000');
});

it('is taken back: the books, the hash and the wallet are as before, and another can be ordered', async () => {
  const [operation, txHash] = [await desk.swept('9'), newHash()];
  const { id, wallet } = operation;
  const before = [await desk.held('pool'), await desk.held('treasury')];
  expect(JSON.parse((await desk.takeBack(id)).err).code).toBe('invalid_transition');
  await expectOk(confirm(id, txHash));
  const back = await Promise.all([desk.takeBack(id), desk.takeBack(id)]);
  expect(back.map(({ code }) => code).sort()).toEqual([0, 4]);
  expect(back.find(({ code }) => code === 0)?.json()).toEqual({ id, status: 'failed' });
  expect([await desk.held('pool'), await desk.held('treasury')]).toEqual(before);
  const shown = await desk.get(`${SWEEPS}/${id}`);
  expect(shown).toMatchObject({
    status: 'failed',
    failure: { code: 'taken_back', reason: 'another wallet' },
  });
  for (const name of ['txHash', 'movedAmount', 'executedAt']) expect(shown).not.toHaveProperty(name);
  expect((await desk.balance(wallet.address)).balances[0].balance).toBe('9.000000');
  const [line] = await world.api.database.query(
    `select actor, before, after from audit_log where subject = $1 and action = 'gas-operation.take-back'`,
    [id],
  );
  expect(line).toMatchObject({
    ...{ actor: 'operator:ida', before: { status: 'completed', txHash } },
    after: { status: 'failed', reason: 'another wallet' },
  });
  const next = await desk.sweep(wallet.id);
  expect((await confirm(next.id, txHash)).body).toMatchObject({ status: 'completed', txHash });
});

it('is taken back of an operation that had ended before, and shown again when it is told again', async () => {
  const [{ id }, txHash] = [await desk.swept('6'), newHash()];
  await desk.post(`${SWEEPS}/${id}/fail`, { reason: 'not needed' });
  await expectOk(confirm(id, txHash));
  expect(await desk.breaksOf(id, 'gas_operation_late')).toEqual([{ detail: txHash }]);
  expect((await desk.takeBack(id)).json()).toEqual({ id, status: 'failed' });
  expect(await desk.breaksOf(id, 'gas_operation_late')).toEqual([]);
  expect((await desk.get(`${SWEEPS}/${id}`)).failure).toEqual({ code: 'by_operator', reason: 'not needed' });
  await expectOk(confirm(id, txHash));
  expect(await desk.breaksOf(id, 'gas_operation_late')).toEqual([{ detail: txHash }]);
});

/** A wallet whose deposit of 9 was swept, and is taken back since. @param told of it before that */
async function sweptOfNothing(told?: (address: string) => Promise<void>) {
  const address = await world.allocate(await world.account());
  await told?.(address);
  const terms = { hash: newHash(), at: new Date().toISOString() };
  const deposit = (await world.record(address, '9', terms)).json();
  await world.release(address);
  await desk.note(address, '100');
  const walletId = await world.walletId(address);
  const { id } = await desk.sweep(walletId);
  await expectOk(confirm(id));
  const takeBack = (of = deposit.id) => world.takeBack(of);
  const shown = () => desk.breaksOf(walletId, 'chain_holding_below_zero');
  return { address, terms, deposit, walletId, id, takeBack, shown };
}

it('of what was taken back since is shown, until it is taken back too, whatever comes meanwhile', async () => {
  const { address, terms, deposit, walletId, id, takeBack, shown } = await sweptOfNothing();
  expect((await takeBack()).code).toBe(0);
  const [open, ...more] = await shown();
  expect([more, open!.detail]).toEqual([[], expect.stringContaining(id)]);
  expect(open!.detail).toContain(deposit.id);
  const [row] = await world.api.database.query(
    `select amount::float8 as amount, currency from breaks where subject = $1`,
    [walletId],
  );
  expect(row).toEqual({ amount: 9, currency: 'USDT' });
  // Other money; and of the same transaction less than was swept.
  for (const amount of ['4', '9'])
    expect((await world.record(address, amount, { at: terms.at })).code).toBe(0);
  expect((await world.record(address, '5', terms)).code).toBe(0);
  expect(await shown()).toEqual([open]);
  expect((await desk.takeBack(id)).code).toBe(0);
  expect(await shown()).toEqual([]);
  expect((await desk.balance(address)).balances[0].balance).toBe('18.000000');
});

it('of what was taken back since is shown though other money is there, until that is recorded again', async () => {
  const { address, terms, deposit, takeBack, shown } = await sweptOfNothing();
  expect((await world.record(address, '9', { at: terms.at })).code).toBe(0);
  let { id } = deposit;
  for (const block of ['70000000', '70000001', '70000002']) {
    expect((await takeBack(id)).code).toBe(0);
    expect(await shown()).toEqual([{ detail: expect.stringContaining(id) }]);
    ({ id } = (await world.record(address, '9', { ...terms, block })).json());
    expect(await shown()).toEqual([]);
  }
});

it('of what was taken back since is shown by each deposit for itself, though a person has resolved what another one has left', async () => {
  let small = '';
  const { deposit, walletId, takeBack, shown } = await sweptOfNothing(async (address) => {
    small = (await world.record(address, '2')).json().id;
  });
  expect((await takeBack()).code).toBe(0);
  await world.api.database.query(
    `update breaks set resolved_at = now(), resolved_by = 'ida', note = 'known' where subject = $1`,
    [walletId],
  );
  expect((await takeBack(small)).code).toBe(0);
  expect(await shown()).toEqual([{ detail: expect.stringContaining(small) }]);
  const rows = await world.api.database.query<{ amount: number }>(
    'select amount::float8 as amount from breaks where subject = $1 order by id',
    [walletId],
  );
  expect([deposit.id === small, rows.map(({ amount }) => amount)]).toEqual([false, [9, 2]]);
});

it('of what was taken back since is shown though what was told too early has come meanwhile', async () => {
  const early = newHash();
  const tell = async (address: string) => (await world.record(address, '9', { hash: early })).json().id;
  const { address, deposit, takeBack, shown } = await sweptOfNothing(async (told) => {
    expect((await world.takeBack(await tell(told))).code).toBe(0);
  });
  await tell(address); // in a block after the sweep
  expect((await takeBack()).code).toBe(0);
  expect(await shown()).toEqual([{ detail: expect.stringContaining(deposit.id) }]);
});

it('is of a deposit or of an operation, whoever tells of the hash first, and no sweep takes what is taken back', async () => {
  const [{ id }, hash] = [await desk.swept('6'), newHash()];
  const address = await world.allocate(await world.account());
  const [confirmed, recorded] = await Promise.all([confirm(id, hash), world.record(address, '6', { hash })]);
  expect([confirmed.status === 200, recorded.code === 0].filter(Boolean)).toHaveLength(1);
  const other = await world.allocate(await world.account());
  const deposit = (await world.record(other, '7')).json();
  await world.release(other);
  await desk.note(other, '100');
  const sweep = await desk.sweep(await world.walletId(other));
  const [told, back] = await Promise.all([confirm(sweep.id), world.takeBack(deposit.id)]);
  const shown = await desk.breaksOf(await world.walletId(other), 'chain_holding_below_zero');
  expect([back.code, shown.length]).toEqual([0, told.status === 200 ? 1 : 0]);
});

it('is of chains that people tell of alone: what nodes have told nobody takes back, or confirms by a word', async () => {
  const { id } = await desk.swept('6');
  await expectOk(confirm(id));
  const become = (kind: string, chainId: number | null) =>
    world.api.database.query(`update networks set kind = $1, chain_id = $2 where chain = 'tron'`, [
      kind,
      chainId,
    ]);
  await become('evm', 31_337);
  const word = await world.operator(
    ...['gas-operation', 'confirm', id, '--hash', newHash(), '--reason', 'seen', '--json'],
  );
  for (const { code, err } of [await desk.takeBack(id), word]) {
    expect([code, JSON.parse(err).message]).toEqual([4, expect.stringContaining('told by its nodes')]);
  }
  await become('tron', null);
});
