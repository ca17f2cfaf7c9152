/** @long */
import { checkLedger, trialBalance } from '../../../src/kernel/ledger/check';
import { Decimal } from '../../../src/kernel/money/money';
import { decideDeposit, refundDeposit } from '../../../src/transfers/deposits/decide';
import type { DepositStatus } from '../../../src/transfers/deposits/record';
import { accountBalance } from '../../cards/cards/support';
import {
  completed,
  created,
  type DepositWorld,
  depositWorld,
  fold,
  inShort,
  internal,
  look,
  lookTwice,
  openBreaks,
  pay,
  payable,
  read,
  toldOf,
} from './support';

let world: DepositWorld;
beforeAll(async () => {
  world = await depositWorld();
});
beforeEach(async () => {
  world.client = await world.api.client();
  world.clock.ahead = 0;
  world.double.refundsBegin = 'succeeded';
});
afterEach(async () => {
  const { api, client } = world;
  expect(await checkLedger(api.database)).toEqual([]);
  expect((await trialBalance(api.database)).filter(({ sum }) => Number(sum) !== 0)).toEqual([]);
  // The webhooks add up to the balance.
  const accounts = await client.call('GET', '/v1/accounts?limit=100');
  const folded = fold(await toldOf(api, client));
  for (const { id, balance } of accounts.body.data)
    expect([id, (folded.get(id) ?? new Decimal(0)).toFixed(2)]).toEqual([
      id,
      new Decimal(balance.available).plus(balance.pending).toFixed(2),
    ]);
});
afterAll(() => world.close());

const told = async () => inShort(await toldOf(world.api, world.client));
const status = async (deposit: { id: string; accountId: string }): Promise<DepositStatus> =>
  (await read(world.client, deposit)).status;
const balance = (deposit: { accountId: string }) => accountBalance(world.client, deposit.accountId);
const decide = (id: string, decision: 'approved' | 'rejected') =>
  world.api.database.transaction((tx) =>
    decideDeposit(world.api.services, tx, { depositId: id, decision, decidedBy: 'operator:ida' }),
  );
const refund = (id: string, amount?: string) =>
  world.api.database.transaction((tx) =>
    refundDeposit(world.api.services, tx, {
      depositId: id,
      amount: amount === undefined ? undefined : new Decimal(amount),
      requestedBy: 'operator:ida',
    }),
  );
const breaksOn = (subject: string) => openBreaks(world, subject);

/** The changes of internal accounts by the work. */
async function since(work: () => Promise<unknown>, currency = 'USD'): Promise<Record<string, string>> {
  const names = ['checkout', 'fees', 'suspense', 'fx_position'] as const;
  const before = await Promise.all(names.map((name) => internal(world.api, name, currency)));
  await work();
  const after = await Promise.all(names.map((name) => internal(world.api, name, currency)));
  return Object.fromEntries(
    names.flatMap((name, index) => {
      const change = new Decimal(after[index] ?? 0).minus(before[index] ?? 0);
      return change.isZero() ? [] : [[name, change.toFixed(2)]];
    }),
  );
}

describe('a deposit', () => {
  it('goes by awaiting_payment and processing to completed, and is credited at settlement', async () => {
    const deposit = await payable(world);
    expect(await status(deposit)).toBe('awaiting_payment');
    pay(deposit.session);
    await look(world, deposit.id);
    expect([await status(deposit), await balance(deposit), await told()]).toEqual([
      'processing',
      '0.00 0.00',
      [],
    ]);
    deposit.session.status = 'settled';
    expect(await since(() => look(world, deposit.id))).toEqual({ checkout: '-100.00', fees: '3.20' });
    expect([await status(deposit), await balance(deposit)]).toEqual(['completed', '96.80 0.00']);
  });

  it.each([
    ['failed', 'failed'],
    ['cancelled', 'cancelled'],
    ['expired', 'expired'],
  ] as const)('is %s by the party’s word, with one webhook', async (said, becomes) => {
    const deposit = await payable(world);
    deposit.session.status = said;
    for (let looks = 0; looks < 3; looks += 1) await look(world, deposit.id);
    expect([await status(deposit), await told()]).toEqual([becomes, [`account.deposit.${becomes}`]]);
    expect(await balance(deposit)).toBe('0.00 0.00');
  });

  it('expires at its time without a payment, and not before', async () => {
    const deposit = await payable(world);
    world.clock.ahead = 29 * 60_000;
    expect((await look(world, deposit.id)).status).toBe('awaiting_payment');
    world.clock.ahead = 30 * 60_000 + 1_000;
    expect((await look(world, deposit.id)).status).toBe('expired');
  });

  it('does not expire when it was paid in time and the word comes late', async () => {
    const deposit = await payable(world);
    pay(deposit.session, {}, true);
    world.clock.ahead = 40 * 60_000; // no worker ran, and no callback came
    expect((await look(world, deposit.id)).status).toBe('completed');
    expect(await told()).toEqual(['deposit/checkout 96.80', 'account.deposit.completed']);
  });

  it('does not expire before the party has confirmed that it is not paid', async () => {
    const deposit = await payable(world);
    world.clock.ahead = 40 * 60_000;
    world.double.faults.push('away');
    await expect(look(world, deposit.id)).rejects.toThrow();
    expect(await status(deposit)).toBe('awaiting_payment');
    expect((await look(world, deposit.id)).status).toBe('expired');
  });

  it('expires by time alone when its page was never ordered', async () => {
    const deposit = await created(world.client);
    world.clock.ahead = 40 * 60_000;
    world.double.requests.length = 0;
    expect((await look(world, deposit.id)).status).toBe('expired');
    expect(world.double.requests).toEqual([]);
  });

  it('fails after the payment when the party reports a failure', async () => {
    const deposit = await payable(world);
    pay(deposit.session);
    await look(world, deposit.id);
    deposit.session.status = 'failed';
    deposit.session.failureCode = 'insufficient_funds';
    await lookTwice(world, deposit.id);
    expect(await read(world.client, deposit)).toMatchObject({
      status: 'failed',
      failure: 'insufficient_funds',
    });
    expect(await balance(deposit)).toBe('0.00 0.00');
  });

  it('shows no code of the party to clients', async () => {
    const deposit = await payable(world);
    deposit.session.status = 'failed';
    deposit.session.failureCode = 'acmepay_e17';
    await look(world, deposit.id);
    expect((await read(world.client, deposit)).failure).toBe('payment_failed');
  });

  it.each([
    ['card', 'EUR', 'USD'],
    ['bank_transfer', 'GBP', 'EUR'],
    ['crypto', 'USDT', 'GBP'],
  ])('%s in %s credits an account in %s through the FX position', async (method, currency, account) => {
    const asked = { method, currency, account, amount: '250' };
    const deposit = await payable(world, asked);
    pay(deposit.session, {}, true);
    const [payers, own] = [
      await internal(world.api, 'fx_position', currency),
      await since(() => look(world, deposit.id), account),
    ];
    const { creditedAmount, serviceFee, chargedAmount } = await read(world.client, deposit);
    const gross = new Decimal(creditedAmount).plus(serviceFee);
    expect(own).toEqual({ fees: serviceFee, fx_position: gross.negated().toFixed(2) });
    expect(new Decimal(await internal(world.api, 'fx_position', currency)).minus(payers).toFixed(2)).toBe(
      new Decimal(chargedAmount).toFixed(2),
    );
    expect(await balance(deposit)).toBe(`${creditedAmount} 0.00`);
  });
});

describe('manual review', () => {
  it.each([
    ['risk', { risk: 'review' as const }, {}, 'risk'],
    ['a low amount', {}, { amount: '90.00' }, 'amount_differs'],
    ['a high amount', {}, { amount: '110.00' }, 'amount_differs'],
    ['another currency', {}, { currency: 'EUR' }, 'amount_differs'],
  ])('starts for %s, with the settled money in suspense', async (_, seen, paid, failure) => {
    const deposit = await payable(world);
    Object.assign(deposit.session, seen);
    pay(deposit.session, paid);
    await look(world, deposit.id);
    expect(await read(world.client, deposit)).toMatchObject({ status: 'manual_review', failure });
    expect(await told()).toEqual(['account.deposit.manual_review']);
    deposit.session.status = 'settled';
    const { amount: had, currency: of } = { amount: '100.00', currency: 'USD', ...paid };
    const moved = await since(() => look(world, deposit.id), of);
    expect(moved).toEqual({ checkout: `-${had}`, suspense: had });
    expect(await since(() => look(world, deposit.id), of)).toEqual({});
    expect(await balance(deposit)).toBe('0.00 0.00');
  });

  it('approved credits the paid amount on the same terms', async () => {
    const deposit = await payable(world);
    pay(deposit.session, { amount: '90.00' }, true);
    await look(world, deposit.id);
    expect(await since(() => decide(deposit.id, 'approved'))).toEqual({ suspense: '-90.00', fees: '2.91' });
    expect(await since(() => look(world, deposit.id))).toEqual({});
    expect(await read(world.client, deposit)).toMatchObject({
      status: 'completed',
      amount: '100.00',
      chargedAmount: '90.00',
      creditedAmount: '87.09',
      serviceFee: '2.91',
    });
    expect(await told()).toEqual([
      'account.deposit.manual_review',
      'deposit/checkout 87.09',
      'account.deposit.completed',
    ]);
  });

  it('approved before the settlement waits for it', async () => {
    const deposit = await payable(world);
    deposit.session.risk = 'review';
    pay(deposit.session);
    await look(world, deposit.id);
    await decide(deposit.id, 'approved');
    expect(await look(world, deposit.id)).toMatchObject({ status: 'manual_review', open: true });
    deposit.session.status = 'settled';
    expect((await look(world, deposit.id)).status).toBe('completed');
    expect(await balance(deposit)).toBe('96.80 0.00');
  });

  it('loses its approval when the amount changes', async () => {
    const deposit = await payable(world);
    pay(deposit.session, { amount: '90.00' });
    await look(world, deposit.id);
    await decide(deposit.id, 'approved');
    pay(deposit.session, { amount: '9.00' }, true);
    expect(await lookTwice(world, deposit.id)).toMatchObject({ status: 'manual_review', open: true });
    await decide(deposit.id, 'approved');
    await look(world, deposit.id);
    expect(await read(world.client, deposit)).toMatchObject({ status: 'completed', chargedAmount: '9.00' });
  });

  it.each([true, false])(
    'rejected returns the money without an account transaction (settled: %s)',
    async (settled) => {
      const deposit = await payable(world);
      deposit.session.risk = 'review';
      pay(deposit.session, {}, settled);
      await look(world, deposit.id);
      world.double.refundsBegin = 'pending';
      await decide(deposit.id, 'rejected');
      expect(await look(world, deposit.id)).toMatchObject({ status: 'manual_review', open: true });
      for (const each of deposit.session.refunds) each.status = 'succeeded';
      const moved = await since(() => look(world, deposit.id));
      expect(moved).toEqual({ checkout: '100.00', suspense: '-100.00' });
      expect(await told()).toEqual(['account.deposit.manual_review', 'account.deposit.failed']);
      for (let looks = 0; looks < 2; looks += 1) await look(world, deposit.id);
      expect([await status(deposit), deposit.session.refunds.length]).toEqual(['failed', 1]);
      // A return before the settlement is our claim until the payment settles.
      expect(await breaksOn(deposit.id)).toEqual(settled ? [] : ['transfer_suspense -100.00']);
      deposit.session.status = 'settled';
      expect(await since(() => look(world, deposit.id))).toEqual(
        settled ? {} : { checkout: '-100.00', suspense: '100.00' },
      );
      expect([await status(deposit), await breaksOn(deposit.id)]).toEqual(['failed', []]);
    },
  );

  it('opens a break for a failed return, and takes another decision', async () => {
    const deposit = await payable(world);
    deposit.session.risk = 'review';
    pay(deposit.session, {}, true);
    await look(world, deposit.id);
    world.double.refundsBegin = 'failed';
    await decide(deposit.id, 'rejected');
    expect(await look(world, deposit.id)).toMatchObject({ status: 'manual_review', open: true });
    expect(await breaksOn(deposit.id)).toEqual(['deposit_refund_failed 100.00', 'transfer_suspense 100.00']);
    await decide(deposit.id, 'approved');
    await look(world, deposit.id);
    expect([await status(deposit), await balance(deposit)]).toEqual(['completed', '96.80 0.00']);
  });

  it('takes one decision, and only while it waits', async () => {
    const deposit = await payable(world);
    await expect(decide(deposit.id, 'approved')).rejects.toMatchObject({ code: 'invalid_transition' });
    deposit.session.risk = 'review';
    pay(deposit.session);
    await look(world, deposit.id);
    await decide(deposit.id, 'approved');
    await expect(decide(deposit.id, 'rejected')).rejects.toMatchObject({ code: 'invalid_transition' });
  });

  it('of another currency can only be returned', async () => {
    const deposit = await payable(world);
    pay(deposit.session, { currency: 'EUR' }, true);
    await look(world, deposit.id);
    await expect(decide(deposit.id, 'approved')).rejects.toMatchObject({ code: 'invalid_transition' });
    await decide(deposit.id, 'rejected');
    expect(await since(() => look(world, deposit.id), 'EUR')).toEqual({
      checkout: '100.00',
      suspense: '-100.00',
    });
    expect(await status(deposit)).toBe('failed');
  });
});

describe('a late payment', () => {
  it.each(['expired', 'cancelled', 'failed'] as const)(
    'of a deposit that is %s waits for the operator',
    async (ended) => {
      const deposit = await payable(world);
      deposit.session.status = ended;
      await look(world, deposit.id);
      pay(deposit.session, {}, true);
      expect(await since(() => look(world, deposit.id))).toEqual({ checkout: '-100.00', suspense: '100.00' });
      expect(await read(world.client, deposit)).toMatchObject({
        status: 'manual_review',
        failure: 'paid_late',
      });
      await decide(deposit.id, 'approved');
      await look(world, deposit.id);
      expect(await balance(deposit)).toBe('96.80 0.00');
      expect(await told()).toEqual([
        `account.deposit.${ended}`,
        'account.deposit.manual_review',
        'deposit/checkout 96.80',
        'account.deposit.completed',
      ]);
    },
  );

  it('of a completed deposit goes to suspense, with a break', async () => {
    const deposit = await completed(world);
    pay(deposit.session, { amount: '150.00' }, true);
    expect(await since(() => look(world, deposit.id))).toEqual({ checkout: '-50.00', suspense: '50.00' });
    expect(await since(() => look(world, deposit.id))).toEqual({});
    expect([await breaksOn(deposit.id), await balance(deposit)]).toEqual([
      ['transfer_suspense 50.00'],
      '96.80 0.00',
    ]);
  });
});

describe('refunds', () => {
  it('in parts keep the deposit completed, and the last part makes it refunded', async () => {
    const deposit = await completed(world);
    await refund(deposit.id, '30.00');
    expect(await balance(deposit)).toBe('67.76 29.04');
    expect(await since(() => look(world, deposit.id))).toEqual({ checkout: '30.00', fees: '-0.96' });
    expect(await read(world.client, deposit)).toMatchObject({ status: 'completed', refundedAmount: '30.00' });
    await refund(deposit.id);
    await look(world, deposit.id);
    for (let looks = 0; looks < 2; looks += 1) await look(world, deposit.id);
    expect(await read(world.client, deposit)).toMatchObject({ status: 'refunded', refundedAmount: '100.00' });
    expect(await balance(deposit)).toBe('0.00 0.00');
    expect(await told()).toEqual([
      'deposit/checkout 96.80',
      'account.deposit.completed',
      'withdraw/deposit_refund 29.04',
      'withdraw/deposit_refund 67.76',
      'account.deposit.refunded',
    ]);
    await expect(refund(deposit.id, '1.00')).rejects.toMatchObject({ code: 'invalid_transition' });
  });

  it('are held at once, and refused above the rest or the balance', async () => {
    const deposit = await completed(world);
    await expect(refund(deposit.id, '100.01')).rejects.toMatchObject({ code: 'limit_exceeded' });
    await expect(refund(deposit.id, '1.001')).rejects.toMatchObject({ status: 400, field: 'amount' });
    await refund(deposit.id, '60.00');
    await expect(refund(deposit.id, '40.01')).rejects.toMatchObject({ code: 'limit_exceeded' });
    const other = await completed(world);
    const admin = await world.api.client('admin');
    const spent = await admin.call('POST', '/v1/accounts/admin-withdrawal', {
      accountId: other.accountId,
      amount: '100.00',
      reason: 'test',
    });
    expect(spent.status).toBe(201);
    await expect(refund(other.id)).rejects.toMatchObject({ code: 'insufficient_funds' });
  });

  it('that fail release the hold, and open a break', async () => {
    const deposit = await completed(world);
    world.double.refundsBegin = 'pending';
    await refund(deposit.id, '50.00');
    expect(await look(world, deposit.id)).toMatchObject({ status: 'completed', open: true });
    for (const each of deposit.session.refunds) each.status = 'failed';
    expect(await look(world, deposit.id)).toMatchObject({ status: 'completed', open: false });
    expect([await balance(deposit), await breaksOn(deposit.id)]).toEqual([
      '96.80 0.00',
      ['deposit_refund_failed 50.00'],
    ]);
    expect((await read(world.client, deposit)).refundedAmount).toBeUndefined();
  });

  it('that the party refuses fail', async () => {
    const deposit = await completed(world);
    await refund(deposit.id, '50.00');
    world.double.faults.push('refuse');
    await look(world, deposit.id);
    expect([await balance(deposit), await breaksOn(deposit.id)]).toEqual([
      '96.80 0.00',
      ['deposit_refund_failed 50.00'],
    ]);
  });

  it('without our order are booked, with a break', async () => {
    const deposit = await completed(world);
    deposit.session.refunds.push({ id: 're_theirs', amount: '100.00', status: 'succeeded' });
    await look(world, deposit.id);
    await look(world, deposit.id);
    expect([await status(deposit), await balance(deposit)]).toEqual(['refunded', '0.00 0.00']);
    expect(await breaksOn(deposit.id)).toEqual(['deposit_refund_not_ours 100.00']);
  });

  it('whose answer was lost are ordered again, and executed once', async () => {
    const deposit = await completed(world);
    await refund(deposit.id, '20.00');
    world.double.faults.push('after');
    await expect(look(world, deposit.id)).rejects.toThrow();
    await look(world, deposit.id);
    expect([deposit.session.refunds.length, (await read(world.client, deposit)).refundedAmount]).toEqual([
      1,
      '20.00',
    ]);
    expect(await breaksOn(deposit.id)).toEqual([]);
  });

  it('in another currency take back the credit, to the minor unit', async () => {
    const deposit = await completed(world, { currency: 'EUR', amount: '33.33' });
    for (const part of ['11.11', '0.01', undefined]) {
      await refund(deposit.id, part);
      await look(world, deposit.id);
    }
    expect([await status(deposit), await balance(deposit)]).toEqual(['refunded', '0.00 0.00']);
  });
});

describe('disputes', () => {
  it('debit the account, even below zero, and are credited when they are won', async () => {
    const deposit = await completed(world);
    const admin = await world.api.client('admin');
    const spent = { accountId: deposit.accountId, amount: '50.00', reason: 'test' };
    await admin.call('POST', '/v1/accounts/admin-withdrawal', spent);
    const dispute = { id: 'dp_1', amount: '100.00', status: 'open' as const };
    deposit.session.disputes.push(dispute);
    expect(await since(() => look(world, deposit.id))).toEqual({ checkout: '100.00', fees: '-3.20' });
    expect([await status(deposit), await balance(deposit)]).toEqual(['chargeback', '-50.00 0.00']);
    Object.assign(dispute, { status: 'won' });
    for (let looks = 0; looks < 2; looks += 1) await look(world, deposit.id);
    expect([await status(deposit), await balance(deposit)]).toEqual(['chargeback', '46.80 0.00']);
    expect((await told()).slice(3)).toEqual([
      'withdraw/deposit_chargeback 96.80',
      'account.deposit.chargeback',
      'deposit/chargeback_reversed 96.80',
    ]);
  });

  it('that are lost stay debited', async () => {
    const deposit = await completed(world);
    deposit.session.disputes.push({ id: 'dp_1', amount: '100.00', status: 'lost' });
    for (let looks = 0; looks < 2; looks += 1) await look(world, deposit.id);
    expect([await status(deposit), await balance(deposit)]).toEqual(['chargeback', '0.00 0.00']);
  });

  it('debit the rest of the credit, and the excess is our claim with a break', async () => {
    const deposit = await completed(world);
    await refund(deposit.id, '60.00');
    await look(world, deposit.id);
    deposit.session.disputes.push({ id: 'dp_1', amount: '100.00', status: 'open' });
    expect(await since(() => look(world, deposit.id))).toEqual({
      checkout: '100.00',
      fees: '-1.28',
      suspense: '-60.00',
    });
    expect([await balance(deposit), await breaksOn(deposit.id)]).toEqual([
      '0.00 0.00',
      ['deposit_refund_not_ours 100.00', 'transfer_suspense -60.00'],
    ]);
  });

  it('that were won before the first look change nothing', async () => {
    const deposit = await completed(world);
    deposit.session.disputes.push({ id: 'dp_1', amount: '100.00', status: 'won' });
    expect(await since(() => look(world, deposit.id))).toEqual({});
    expect(await status(deposit)).toBe('completed');
  });

  it('before the credit lead to a review', async () => {
    const deposit = await payable(world);
    pay(deposit.session, {}, true);
    deposit.session.disputes.push({ id: 'dp_1', amount: '100.00', status: 'open' });
    await look(world, deposit.id);
    expect(await read(world.client, deposit)).toMatchObject({
      status: 'manual_review',
      failure: 'taken_back',
    });
  });
});
