/** @long */
import { checkLedger } from '../../src/kernel/ledger/check';
import { checkRunningSums } from '../../src/transfers/check';
import { accountBalance } from '../cards/cards/support';
import { anotherOperator, command, dayGoesBy, operatorEnvironment, setAdminLimit } from '../support/operator';
import { until } from '../support/until';
import {
  completed,
  type DepositWorld,
  depositWorld,
  inShort,
  internal,
  look,
  pay,
  payable,
  read,
  type TestDeposit,
  toldOf,
} from './deposits/support';

let world: DepositWorld;
let environment: Record<string, string>;
beforeAll(async () => {
  world = await depositWorld();
  environment = await operatorEnvironment(world.api.database);
});
beforeEach(async () => {
  world.client = await world.api.client();
  world.clock.ahead = 0;
  world.double.refundsBegin = 'succeeded';
});
afterEach(async () =>
  expect([
    ...(await checkLedger(world.api.database)),
    ...(await checkRunningSums(world.api.database)),
  ]).toEqual([]),
);
afterAll(() => world.close());

const operator = (...argv: string[]) => command(environment, ...argv);
const REASON = ['--reason', 'seen the slip'];

const balance = ({ accountId }: TestDeposit) => accountBalance(world.client, accountId);
const openBreaks = async (id: string) =>
  (
    await world.api.database.query<{ kind: string }>(
      'select kind from breaks where subject = $1 and resolved_at is null',
      [id],
    )
  ).map(({ kind }) => kind);
const inSuspense = async (id: string) => {
  const { out } = await operator('suspense', 'list', '--transfer', id, '--json');
  const rows = JSON.parse(out) as { id: string; amount: { amount: string; currency: string } }[];
  return rows.map(({ id: transferId, amount }) => ({ transferId, ...amount }));
};

/** A completed deposit with an excess payment of 50.00 in suspense. */
async function surplus() {
  const deposit = await completed(world);
  pay(deposit.session, { amount: '150.00' }, true);
  await look(world, deposit.id);
  return deposit;
}

describe('money in suspense', () => {
  it('is listed and shown, with its break', async () => {
    const { id } = await surplus();
    expect(await inSuspense(id)).toMatchObject([{ transferId: id, amount: '50.00', currency: 'USD' }]);
    expect((await operator('suspense', 'list')).out).toMatch(new RegExp(`${id}.*50.00 USD`));
    expect(await openBreaks(id)).toEqual(['transfer_suspense']);
    const unknown = await operator('suspense', 'list', '--transfer', 'dep_none');
    expect([unknown.code, unknown.err]).toEqual([3, expect.stringContaining('transfer')]);
  });

  it('is credited to its owner in parts, which closes its break', async () => {
    const deposit = await surplus();
    const credit = (...argv: string[]) =>
      operator('suspense', 'credit', deposit.id, '--account', deposit.accountId, ...REASON, ...argv);
    expect((await credit('--amount', '20.00')).code).toBe(0);
    expect(await balance(deposit)).toBe('116.80 0.00');
    const beyond = await credit('--amount', '30.01');
    expect([beyond.code, beyond.err]).toEqual([4, expect.stringContaining('30.00 USD')]);
    expect((await credit()).code).toBe(0);
    expect([await balance(deposit), await inSuspense(deposit.id), await openBreaks(deposit.id)]).toEqual([
      '146.80 0.00',
      [],
      [],
    ]);
    expect((await credit()).err).toContain('has no money in suspense that is free');
    expect(inShort(await toldOf(world.api, world.client)).slice(2)).toEqual([
      'deposit/checkout 20.00',
      'deposit/checkout 30.00',
    ]);
    const actions = await world.api.database.query('select action from audit_log where subject = $1', [
      deposit.id,
    ]);
    expect(actions).toEqual([{ action: 'suspense.credit' }, { action: 'suspense.credit' }]);
  });

  it('is returned to its payer once, and is not available meanwhile', async () => {
    const deposit = await surplus();
    world.double.refundsBegin = 'pending';
    expect((await operator('suspense', 'return', deposit.id, ...REASON)).code).toBe(0);
    await look(world, deposit.id);
    expect(deposit.session.refunds).toMatchObject([{ amount: '50.00' }]);
    expect((await operator('suspense', 'write-off', deposit.id, ...REASON)).code).toBe(4);
    Object.assign(deposit.session.refunds[0] ?? {}, { status: 'succeeded' });
    await look(world, deposit.id);
    expect([await inSuspense(deposit.id), await balance(deposit), deposit.session.refunds.length]).toEqual([
      [],
      '96.80 0.00',
      1,
    ]);
  });

  it('is written off to losses', async () => {
    const deposit = await surplus();
    const before = Number(await internal(world.api, 'losses', 'USD'));
    expect((await operator('suspense', 'write-off', deposit.id, ...REASON)).code).toBe(0);
    expect(Number(await internal(world.api, 'losses', 'USD')) - before).toBe(50);
    expect(await openBreaks(deposit.id)).toEqual([]);
  });

  it('stays credited when the party refunds it later, and is recovered', async () => {
    const deposit = await surplus();
    await operator('suspense', 'credit', deposit.id, '--account', deposit.accountId, ...REASON);
    deposit.session.refunds.push({ id: 're_theirs', amount: '50.00', status: 'succeeded' });
    await look(world, deposit.id);
    // The surplus is already credited, so the party's refund becomes our claim.
    expect(await inSuspense(deposit.id)).toMatchObject([{ amount: '-50.00' }]);
    expect(await balance(deposit)).toBe('146.80 0.00');
    const { id, accountId } = deposit;
    expect((await operator('suspense', 'credit', id, '--account', accountId, ...REASON)).code).toBe(4);
    expect((await operator('suspense', 'recover', id, '--account', accountId, ...REASON)).code).toBe(0);
    expect([await balance(deposit), await inSuspense(id), await openBreaks(id)]).toEqual([
      '96.80 0.00',
      [],
      ['deposit_refund_not_ours'], // open until an operator resolves it
    ]);
  });

  it('requires a reason, and an open account of its currency', async () => {
    const { id } = await surplus();
    const accounts = await world.client.call('GET', '/v1/accounts?currency=EUR');
    const eur = accounts.body.data[0].id as string;
    const { body: user } = await world.client.call('POST', '/v1/users', {});
    const opened = await world.client.call('POST', `/v1/users/${user.id}/accounts`, { currency: 'USD' });
    const closed = opened.body.id as string;
    await world.api.database.query(`update accounts set status = 'closed' where id = $1`, [closed]);
    for (const [argv, why] of [
      [['credit', id, '--account', eur, ...REASON], 'account must be an account in USD'],
      [['credit', id, '--account', 'acc_none', ...REASON], 'account'],
      [['credit', id, '--account', closed, ...REASON], 'closed'],
      [['credit', id, ...REASON], '--account'],
      [['write-off', id], '--reason'],
    ] as const) {
      const { code, err } = await operator('suspense', ...argv);
      expect([code === 0, err]).toEqual([false, expect.stringContaining(why)]);
    }
    expect(await inSuspense(id)).toMatchObject([{ amount: '50.00' }]);
  });
});

describe('conclude', () => {
  const conclude = (id: string, as: string) =>
    operator('transfer', 'conclude', id, '--as', as, '--reason', 'a letter');

  it('ends a transfer that the party never ends, as paid or as failed', async () => {
    const paid = await payable(world);
    pay(paid.session);
    await look(world, paid.id);
    expect(await conclude(paid.id, 'paid')).toMatchObject({
      code: 0,
      out: expect.stringContaining('completed'),
    });
    expect(await balance(paid)).toBe('96.80 0.00');
    const failed = await payable(world);
    pay(failed.session);
    await look(world, failed.id);
    expect((await conclude(failed.id, 'failed')).code).toBe(0);
    expect((await read(world.client, failed)).status).toBe('failed');
  });

  it('shows beforehand what it would move, and refuses as it would', async () => {
    const deposit = await payable(world);
    pay(deposit.session);
    await look(world, deposit.id);
    const preview = ['transfer', 'conclude', deposit.id, '--as', 'paid', '--preview', '--json'];
    const { effects } = JSON.parse((await operator(...preview)).out);
    expect(effects[0]).toEqual({ field: 'status', from: 'processing', to: 'completed' });
    expect(effects).toContainEqual({
      field: `credited of ${deposit.accountId}`,
      from: null,
      to: '96.80 USD',
    });
    expect(await balance(deposit)).toBe('0.00 0.00');
    expect((await conclude(deposit.id, 'paid')).code).toBe(0);
    expect((await operator(...preview)).code).toBe(4);
  });

  it('counts until the party changes its word', async () => {
    const deposit = await payable(world);
    pay(deposit.session);
    await look(world, deposit.id);
    await conclude(deposit.id, 'paid');
    await look(world, deposit.id);
    expect(await balance(deposit)).toBe('96.80 0.00');
    pay(deposit.session, {}, true); // the party settles the payment
    await look(world, deposit.id);
    expect([await balance(deposit), await openBreaks(deposit.id)]).toEqual(['96.80 0.00', []]);
  });

  it('is refused for an ended and for an unknown transfer', async () => {
    const deposit = await completed(world);
    expect((await conclude(deposit.id, 'failed')).code).toBe(4);
    expect((await conclude('dep_none', 'paid')).code).toBe(3);
    expect((await conclude(deposit.id, 'perhaps')).code).not.toBe(0);
  });
});

describe('above the limit of the installation', () => {
  const CONCLUDED = ['transfer', 'conclude'];
  const above = operator;
  let second: Record<string, string>;
  beforeAll(async () => {
    second = await anotherOperator(environment, 'bob');
    await setAdminLimit(world.api.database, '49.99');
  });
  beforeEach(() => dayGoesBy(world.api.database));
  const approve = async (answer: { out: string }) =>
    command(second, 'approval', 'approve', /apr_\w+/.exec(answer.out)?.[0] ?? '');

  it('a door needs two operators, for the requested decision', async () => {
    const deposit = await surplus();
    const argv = ['suspense', 'credit', deposit.id, '--account', deposit.accountId, ...REASON];
    const [one, other] = [await above(...argv), await above(...argv)];
    expect([one.code, one.out]).toEqual([0, expect.stringContaining('50.00 USD takes two')]);
    expect(await inSuspense(deposit.id)).toMatchObject([{ amount: '50.00' }]);
    expect((await approve(one)).code).toBe(0);
    expect([await balance(deposit), await inSuspense(deposit.id)]).toEqual(['146.80 0.00', []]);
    const late = await approve(other);
    expect([late.code, late.err]).toEqual([
      4,
      expect.stringContaining('It has changed since (left in USD: 50'),
    ]);
    const decisions = await world.api.database.query(
      `select kind, amount::text, reason, decided_by from transfer_decisions where transfer_id = $1 and kind like 'susp%'`,
      [deposit.id],
    );
    expect(decisions).toEqual([
      { kind: 'suspense_credit', amount: '50', reason: 'seen the slip', decided_by: 'operator:bob' },
    ]);
  });

  it('a part below the limit needs one operator', async () => {
    const deposit = await surplus();
    expect((await above('suspense', 'write-off', deposit.id, '--amount', '49.99', ...REASON)).code).toBe(0);
    expect(await inSuspense(deposit.id)).toMatchObject([{ amount: '0.01' }]);
  });

  it('parts of one transfer count together, over days and operators', async () => {
    const deposit = await surplus();
    const slice = (amount: string, door = 'write-off', ...more: string[]) =>
      ['suspense', door, deposit.id, '--amount', amount, ...REASON, ...more] as const;
    expect((await above(...slice('30'))).out).toContain('done');
    await dayGoesBy(world.api.database);
    const other = await command(second, ...slice('20', 'credit', '--account', deposit.accountId));
    expect(other.out).toMatch(/^20.00 USD takes two.*50.00 USD/);
    expect((await above(...slice('19.99'))).out).toContain('done');
    expect(await inSuspense(deposit.id)).toMatchObject([{ amount: '0.01' }]);
    expect((await above(...slice('0.01'))).out).toContain('takes two');
  });

  it('parts that come at once count together', async () => {
    const deposit = await surplus();
    // The three slices sum to the limit and to the suspense, so the last slice is possible and takes two operators.
    const all = await Promise.all(
      ['16.67', '16.67', '16.66'].map((amount, index) =>
        command(
          index ? second : environment,
          ...['suspense', 'write-off', deposit.id, '--amount', amount, ...REASON],
        ),
      ),
    );
    expect(all.map(({ out, err }) => (out.includes('takes two') ? 'asked' : err || 'done')).sort()).toEqual([
      ...['asked', 'done', 'done'],
    ]);
  });

  it('a conclusion needs two operators', async () => {
    const deposit = await payable(world);
    pay(deposit.session);
    await look(world, deposit.id);
    const asked = await above(...CONCLUDED, deposit.id, '--as', 'paid', '--reason', 'a letter');
    expect([asked.code, asked.out]).toEqual([0, expect.stringContaining('takes two')]);
    expect((await read(world.client, deposit)).status).toBe('processing');
    expect((await approve(asked)).code).toBe(0);
    expect((await read(world.client, deposit)).status).toBe('completed');
  });

  it('a waiting conclusion ends only the state that it was requested for', async () => {
    const deposit = await payable(world);
    pay(deposit.session);
    await look(world, deposit.id);
    const argv = [...CONCLUDED, deposit.id, '--as', 'paid', '--reason', 'a letter'];
    const [asked, stale] = [await above(...argv), await above(...argv)];
    expect((await approve(asked)).code).toBe(0);
    pay(deposit.session, { amount: '90.00' });
    await look(world, deposit.id);
    expect(await approve(stale)).toMatchObject({
      code: 4,
      err: expect.stringContaining('It has changed since'),
    });
  });

  it('a conclusion is weighed by the current word', async () => {
    const deposit = await payable(world);
    pay(deposit.session, { amount: '40.00' });
    await look(world, deposit.id);
    let told: ReturnType<typeof above> | undefined;
    const { database } = world.api;
    await database.transaction(async (tx) => {
      await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 121))', ['decided alone']);
      told = above(...CONCLUDED, deposit.id, '--as', 'paid', '--reason', 'a letter');
      const waits = `select from pg_locks where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`;
      await until(async () => (await database.query(waits)).length > 0);
      pay(deposit.session);
      await look(world, deposit.id);
    });
    expect(await told).toMatchObject({ code: 0, out: expect.stringContaining('100.00 USD takes two') });
    expect((await read(world.client, deposit)).status).toBe('manual_review');
  });
});
