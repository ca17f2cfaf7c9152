/** @long */
import { randomUUID } from 'node:crypto';
import { checkLedger, trialBalance } from '../../../src/kernel/ledger/check';
import { Decimal } from '../../../src/kernel/money/money';
import { concludeTransfer } from '../../../src/transfers/conclude';
import { decideDeposit, refundDeposit } from '../../../src/transfers/deposits/decide';
import { depositKind } from '../../../src/transfers/deposits/kind';
import { discover } from '../../../src/transfers/discover';
import { advance } from '../../../src/transfers/engine/advance';
import { createReading } from '../../../src/watch/watch';
import { accountBalance } from '../../cards/cards/support';
import { masterAccount } from '../../support/cards';
import type { Session } from './party-double';
import {
  booksAndParty,
  completed,
  created,
  type DepositWorld,
  depositWorld,
  fold,
  inShort,
  look,
  lookTwice,
  openBreaks,
  pay,
  payable,
  quoted,
  RETURN_URL,
  read,
  toldOf,
} from './support';

/**
 * The party contradicts its earlier words. The client then has the money of the last word, and money without an owner
 * is in suspense with a break.
 */

let world: DepositWorld;
beforeAll(async () => {
  world = await depositWorld();
});
beforeEach(async () => {
  world.client = await world.api.client();
  world.double.refundsBegin = 'succeeded';
});
afterEach(async () => {
  const { api, client } = world;
  expect(await checkLedger(api.database)).toEqual([]);
  expect((await trialBalance(api.database)).filter(({ sum }) => Number(sum) !== 0)).toEqual([]);
  const { booked, held } = await booksAndParty(world);
  expect(booked).toEqual(held);
  const accounts = await client.call('GET', '/v1/accounts?limit=100');
  const folded = fold(await toldOf(api, client));
  for (const { id, balance } of accounts.body.data)
    expect([id, (folded.get(id) ?? new Decimal(0)).toFixed(2)]).toEqual([
      id,
      new Decimal(balance.available).plus(balance.pending).toFixed(2),
    ]);
});
afterAll(() => world.close());

type Known = Awaited<ReturnType<typeof payable>>;

const told = async () => inShort(await toldOf(world.api, world.client));
const shown = (deposit: { id: string; accountId: string }) => read(world.client, deposit);
const status = async (deposit: { id: string; accountId: string }) => (await shown(deposit)).status as string;
const balance = ({ accountId }: { accountId: string }) => accountBalance(world.client, accountId);
const breaks = ({ id }: { id: string }) => openBreaks(world, id);
const stands = async (deposit: Known) => [
  ...[await status(deposit), await balance(deposit)],
  await breaks(deposit),
];

const decide = ({ id }: { id: string }, decision: 'approved' | 'rejected') =>
  world.api.database.transaction((tx) =>
    decideDeposit(world.api.services, tx, { depositId: id, decision, decidedBy: 'operator:ida' }),
  );
const refund = ({ id }: { id: string }, amount?: string) =>
  world.api.database.transaction((tx) =>
    refundDeposit(world.api.services, tx, {
      depositId: id,
      amount: amount === undefined ? undefined : new Decimal(amount),
      requestedBy: 'operator:ida',
    }),
  );

/** Creates a paid deposit that waits for a review because of its risk. */
async function inReview(settled: boolean): Promise<Known> {
  const deposit = await payable(world);
  deposit.session.risk = 'review';
  pay(deposit.session, {}, settled);
  await look(world, deposit.id);
  expect(await status(deposit)).toBe('manual_review');
  return deposit;
}

const theirRefund = (amount: string, as: Session['refunds'][number]['status'] = 'succeeded') => ({
  id: `re_${randomUUID()}`,
  amount,
  status: as,
});
const dispute = (as: Session['disputes'][number]['status'] = 'open', amount = '100.00') => ({
  id: `dp_${randomUUID()}`,
  amount,
  status: as,
});
const further = (amount: string) => ({ id: `pay_${randomUUID()}`, amount, status: 'settled' as const });

describe('a deposit in review', () => {
  it('that is approved during a refund by the party is credited, and debited after the refund', async () => {
    const deposit = await inReview(false);
    const back = theirRefund('100.00', 'pending');
    deposit.session.refunds.push(back);
    await look(world, deposit.id);
    await decide(deposit, 'approved');
    deposit.session.status = 'settled';
    await look(world, deposit.id);
    expect(await stands(deposit)).toEqual(['completed', '96.80 0.00', ['deposit_refund_not_ours 100.00']]);
    Object.assign(back, { status: 'succeeded' });
    await look(world, deposit.id);
    expect(await stands(deposit)).toEqual(['refunded', '0.00 0.00', ['deposit_refund_not_ours 100.00']]);
  });

  it('is credited without the part that the party has refunded before', async () => {
    const deposit = await inReview(true);
    deposit.session.refunds.push(theirRefund('30.00'));
    await look(world, deposit.id);
    await decide(deposit, 'approved');
    expect(await shown(deposit)).toMatchObject({ status: 'completed', chargedAmount: '70.00' });
    expect(await balance(deposit)).toBe('67.67 0.00');
    expect(await breaks(deposit)).toEqual(['deposit_refund_not_ours 30.00']);
  });

  it('waits for a dispute over everything, fails when it is lost, and is reviewed again when it is won', async () => {
    const deposit = await inReview(true);
    const claim = dispute();
    deposit.session.disputes.push(claim);
    await look(world, deposit.id);
    expect(await status(deposit)).toBe('manual_review');
    for (const decision of ['approved', 'rejected'] as const)
      await expect(decide(deposit, decision)).rejects.toMatchObject({ code: 'invalid_transition' });
    Object.assign(claim, { status: 'lost' });
    await look(world, deposit.id);
    expect(await stands(deposit)).toEqual(['failed', '0.00 0.00', ['deposit_refund_not_ours 100.00']]);
    Object.assign(claim, { status: 'won' });
    await look(world, deposit.id);
    expect(await shown(deposit)).toMatchObject({ status: 'manual_review', failure: 'paid_late' });
    expect(await breaks(deposit)).toContain('transfer_suspense 100.00');
  });

  it('that was rejected and returned is reviewed again after another payment', async () => {
    const deposit = await inReview(true);
    await decide(deposit, 'rejected');
    await look(world, deposit.id);
    expect(await stands(deposit)).toEqual(['failed', '0.00 0.00', []]);
    deposit.session.others.push(further('100.00'));
    await look(world, deposit.id);
    expect(await shown(deposit)).toMatchObject({ status: 'manual_review', failure: 'paid_late' });
    expect(await stands(deposit)).toEqual(['manual_review', '0.00 0.00', ['transfer_suspense 100.00']]);
    await decide(deposit, 'approved');
    expect(await stands(deposit)).toEqual(['completed', '96.80 0.00', []]);
  });
});

it('an approval counts for its payment only, and another one of the same amount is reviewed again', async () => {
  const deposit = await inReview(false);
  await decide(deposit, 'approved');
  deposit.session.status = 'failed';
  await lookTwice(world, deposit.id);
  expect(await status(deposit)).toBe('failed');
  deposit.session.others.push(further('100.00'));
  await look(world, deposit.id);
  expect(await stands(deposit)).toEqual(['manual_review', '0.00 0.00', ['transfer_suspense 100.00']]);
  await decide(deposit, 'approved');
  expect(await stands(deposit)).toEqual(['completed', '96.80 0.00', []]);
});

const conclude = ({ id }: { id: string }, as: 'paid' | 'failed') =>
  world.api.database.transaction((tx) =>
    concludeTransfer(world.api.services, tx, {
      transferId: id,
      as,
      evidence: 'a letter',
      decidedBy: 'operator:ida',
    }),
  );

describe('an operator’s conclusion', () => {
  it('counts until the party changes its word, and can be repeated', async () => {
    const deposit = await payable(world);
    deposit.session.risk = 'review';
    await look(world, deposit.id);
    for (let times = 0; times < 2; times += 1) {
      await conclude(deposit, 'paid');
      expect(await stands(deposit)).toEqual(['manual_review', '0.00 0.00', ['transfer_suspense 100.00']]);
    }
    for (let looks = 0; looks < 2; looks += 1) await look(world, deposit.id);
    expect(await status(deposit)).toBe('manual_review');
    await conclude(deposit, 'failed');
    for (let looks = 0; looks < 2; looks += 1) await look(world, deposit.id);
    expect(await stands(deposit)).toEqual(['failed', '0.00 0.00', []]);
    const told = (await toldOf(world.api, world.client)).map(({ event }) => event);
    expect(told).toEqual(['account.deposit.manual_review', 'account.deposit.failed']);
    pay(deposit.session, {}, true);
    await look(world, deposit.id);
    expect(await stands(deposit)).toEqual(['manual_review', '0.00 0.00', ['transfer_suspense 100.00']]);
  });
});

describe('money that the party sends back', () => {
  it('is taken from a surplus before the account', async () => {
    const deposit = await completed(world);
    deposit.session.others.push(further('50.00'));
    await look(world, deposit.id);
    expect(await stands(deposit)).toEqual(['completed', '96.80 0.00', ['transfer_suspense 50.00']]);
    deposit.session.refunds.push(theirRefund('50.00'));
    await look(world, deposit.id);
    expect(await stands(deposit)).toEqual(['completed', '96.80 0.00', ['deposit_refund_not_ours 50.00']]);
    expect((await shown(deposit)).refundedAmount).toBeUndefined();
    expect(await told()).toEqual(['deposit/checkout 96.80', 'account.deposit.completed']);
  });

  it('is taken by the dispute when the refund that was ahead of it fails', async () => {
    const deposit = await completed(world);
    world.double.refundsBegin = 'pending';
    await refund(deposit);
    await look(world, deposit.id);
    deposit.session.disputes.push(dispute());
    await look(world, deposit.id);
    expect([await balance(deposit), await breaks(deposit)]).toEqual([
      '0.00 96.80', // held by the refund, which has priority
      ['deposit_refund_not_ours 100.00', 'transfer_suspense -100.00'],
    ]);
    for (const each of deposit.session.refunds) each.status = 'failed';
    await look(world, deposit.id);
    expect(await stands(deposit)).toEqual([
      'chargeback',
      '0.00 0.00',
      ['deposit_refund_failed 100.00', 'deposit_refund_not_ours 100.00'],
    ]);
  });

  it('stays refunded when a dispute of the same money is won', async () => {
    const deposit = await completed(world);
    const claim = dispute();
    deposit.session.disputes.push(claim);
    await look(world, deposit.id);
    deposit.session.refunds.push(theirRefund('100.00'));
    await look(world, deposit.id);
    expect([await balance(deposit), (await breaks(deposit)).at(-1)]).toEqual([
      '0.00 0.00',
      'transfer_suspense -100.00',
    ]);
    Object.assign(claim, { status: 'won' });
    await look(world, deposit.id);
    expect([await balance(deposit), await breaks(deposit)]).toEqual([
      '0.00 0.00',
      ['deposit_refund_not_ours 100.00', 'deposit_refund_not_ours 100.00'],
    ]);
    expect((await shown(deposit)).refundedAmount).toBe('100.00');
  });
});

describe('a word that is taken back', () => {
  it('about a partial refund credits the account again a minute later', async () => {
    const deposit = await completed(world);
    await refund(deposit, '40.00');
    await look(world, deposit.id);
    expect(await balance(deposit)).toBe('58.08 0.00');
    for (const each of deposit.session.refunds) each.status = 'failed';
    await look(world, deposit.id);
    expect(await balance(deposit)).toBe('58.08 0.00'); // the answer may be outdated
    await lookTwice(world, deposit.id);
    expect(await stands(deposit)).toEqual(['completed', '96.80 0.00', ['deposit_refund_failed 40.00']]);
    expect((await told()).slice(2)).toEqual([
      'withdraw/deposit_refund 38.72',
      'deposit/deposit_refund_reversed 38.72',
    ]);
  });

  it('about a full refund credits the account, keeps the status, and opens a break', async () => {
    const deposit = await completed(world);
    await refund(deposit);
    await look(world, deposit.id);
    expect(await status(deposit)).toBe('refunded');
    for (const each of deposit.session.refunds) each.status = 'failed';
    await lookTwice(world, deposit.id);
    expect(await stands(deposit)).toEqual([
      'refunded',
      '96.80 0.00',
      ['deposit_refund_failed 100.00', 'transfer_impossible'],
    ]);
  });

  it('about the payment debits a spent account below zero, and opens two breaks', async () => {
    const deposit = await completed(world);
    const admin = await world.api.client('admin');
    const spent = { accountId: deposit.accountId, amount: '50.00', reason: 'test' };
    await admin.call('POST', '/v1/accounts/admin-withdrawal', spent);
    deposit.session.status = 'failed';
    await lookTwice(world, deposit.id);
    const below = ['transfer_below_zero -50.00', 'transfer_impossible'];
    expect(await stands(deposit)).toEqual(['completed', '-50.00 0.00', below]);
    await look(world, deposit.id);
    expect(await breaks(deposit)).toEqual(below);
    deposit.session.status = 'settled';
    await look(world, deposit.id);
    expect(await stands(deposit)).toEqual(['completed', '46.80 0.00', []]);
    expect((await told()).filter((line) => line.includes('checkout'))).toEqual([
      'deposit/checkout 96.80',
      'withdraw/checkout_reversed 96.80',
      'deposit/checkout 96.80',
    ]);
  });

  it('keeps its break while the account is below zero, whatever else is booked', async () => {
    const deposit = await completed(world);
    const admin = await world.api.client('admin');
    const spent = { accountId: deposit.accountId, amount: '96.80', reason: 'test' };
    await admin.call('POST', '/v1/accounts/admin-withdrawal', spent);
    deposit.session.disputes.push(dispute());
    await look(world, deposit.id);
    expect(await breaks(deposit)).toContain('transfer_below_zero -96.80');
    deposit.session.others.push({ ...further('100.00'), currency: 'GBP' }); // changes no account of the client
    await look(world, deposit.id);
    expect([await balance(deposit), await breaks(deposit)]).toEqual([
      '-96.80 0.00',
      expect.arrayContaining(['transfer_below_zero -96.80', 'transfer_suspense 100.00']),
    ]);
  });

  it('about a won dispute debits and credits each time', async () => {
    const deposit = await completed(world);
    const claim = dispute();
    deposit.session.disputes.push(claim);
    const seen = [];
    for (const as of ['open', 'won', 'lost', 'won', 'lost'] as const) {
      Object.assign(claim, { status: as });
      await look(world, deposit.id);
      seen.push(await balance(deposit));
    }
    expect(seen).toEqual(['0.00 0.00', '96.80 0.00', '0.00 0.00', '96.80 0.00', '0.00 0.00']);
    expect(await status(deposit)).toBe('chargeback');
    const lines = (await toldOf(world.api, world.client)).filter(
      ({ event }) => event === 'account_transaction',
    );
    expect(new Set(lines.map(({ data }) => [data['referenceId'], data['type']].join())).size).toBe(
      lines.length,
    );
    const { referenceId } = await shown(deposit);
    expect(lines.map(({ data }) => data['linkedId'])).toEqual([undefined, ...Array(5).fill(referenceId)]);
  });

  it('counts at once with a higher version, and is dropped with a lower one', async () => {
    const deposit = await payable(world);
    Object.assign(deposit.session, { version: 5 });
    pay(deposit.session, {}, true);
    await look(world, deposit.id);
    expect(await balance(deposit)).toBe('96.80 0.00');
    Object.assign(deposit.session, { version: 4, status: 'failed' });
    await lookTwice(world, deposit.id);
    expect(await stands(deposit)).toEqual(['completed', '96.80 0.00', ['party_version_fell']]);
    deposit.session.version = 6;
    await look(world, deposit.id);
    expect(await stands(deposit)).toEqual(['completed', '0.00 0.00', ['transfer_impossible']]);
  });
});

it('a repeated word posts nothing, sends no webhook and changes no answer', async () => {
  const deposit = await completed(world);
  await refund(deposit, '10.00');
  deposit.session.others.push(further('5.00'));
  deposit.session.disputes.push(dispute('open', '20.00'));
  await look(world, deposit.id);
  const all = async () => ({
    legs: await world.api.database.query('select count(*) from ledger_legs'),
    told: await told(),
    shown: await shown(deposit),
  });
  const before = await all();
  for (let looks = 0; looks < 3; looks += 1) await lookTwice(world, deposit.id);
  expect(await all()).toEqual(before);
});

describe('the party’s list shows, without any callback,', () => {
  const claim = dispute();
  const ends = (as: Session['status']) => async (): Promise<Known> => {
    const deposit = await payable(world);
    deposit.session.status = as;
    await look(world, deposit.id);
    expect(await status(deposit)).toBe(as);
    return deposit;
  };
  const expired = async () => {
    const deposit = await payable(world);
    const { ahead } = world.clock;
    world.clock.ahead += 31 * 60_000;
    await look(world, deposit.id);
    world.clock.ahead = ahead;
    return deposit;
  };
  const chargedBack = async () => {
    const deposit = await completed(world);
    deposit.session.disputes.push({ ...claim });
    await look(world, deposit.id);
    expect(await balance(deposit)).toBe('0.00 0.00');
    return deposit;
  };
  const settle = (session: Session) => pay(session, {}, true);

  it.each([
    [
      'a dispute',
      () => completed(world),
      (s: Session) => s.disputes.push(dispute()),
      'chargeback',
      '0.00 0.00',
    ],
    [
      'a refund by the party',
      () => completed(world),
      (s: Session) => s.refunds.push(theirRefund('100.00')),
      ...['refunded', '0.00 0.00'],
    ],
    [
      'a won dispute',
      chargedBack,
      (s: Session) => Object.assign(s.disputes[0] as object, { status: 'won' }),
      ...['chargeback', '96.80 0.00'],
    ],
    ['a payment after the expiry', expired, settle, 'manual_review', '0.00 0.00'],
    ['a payment after a failure', ends('failed'), settle, 'manual_review', '0.00 0.00'],
    ['a payment after a cancellation', ends('cancelled'), settle, 'manual_review', '0.00 0.00'],
  ] as const)('%s', async (_, made, happens, becomes, has) => {
    const deposit = await made();
    const reading = createReading(world.api.services, 'checkout');
    for (let turn = 0; turn < 2; turn += 1) await reading.read();
    expect((await look(world, deposit.id)).open).toBe(false);
    const before = world.api.commands.length;
    happens(deposit.session);
    for (let turn = 0; turn < 2; turn += 1) await reading.read();
    const asked = world.api.commands.slice(before).map(({ action, args }) => [action, args[0]]);
    expect(asked).toEqual([['look', deposit.id]]);
    await look(world, deposit.id);
    expect([await status(deposit), await balance(deposit)]).toEqual([becomes, has]);
  });
});

describe('a payment without a deposit', () => {
  it('is kept before it settles, with a second payment and refunds of its session', async () => {
    const { double, api } = world;
    const sessionId = double.foreign('CHF');
    const session = double.sessions().find((each) => each.sessionId === sessionId) as Session;
    expect(await discover(api.services, 'checkout', sessionId)).toBe('nothing');
    pay(session, { amount: '12.34', currency: 'CHF' });
    expect(await discover(api.services, 'checkout', sessionId)).toBe('kept');
    expect(await discover(api.services, 'checkout', sessionId)).toBe('known');
    const id = String(api.commands.at(-1)?.args[0]);
    const looked = () => advance(api.services, depositKind, id);
    expect([await looked(), await openBreaks(world, id)]).toEqual([
      { status: 'manual_review', open: false, lookAt: null, since: expect.any(Number) },
      [],
    ]);
    session.status = 'settled';
    await looked();
    expect(await openBreaks(world, id)).toEqual(['transfer_suspense 12.34']);
    session.others.push({ id: 'pay-2', amount: '7.66', status: 'settled' });
    await looked();
    expect(await openBreaks(world, id)).toEqual(['transfer_suspense 20.00']);
    session.refunds.push(theirRefund('12.34'));
    await looked();
    expect(await openBreaks(world, id)).toEqual(['deposit_refund_not_ours 12.34', 'transfer_suspense 7.66']);
    session.refunds.push(theirRefund('7.66'));
    expect((await looked()).status).toBe('failed');
    expect((await openBreaks(world, id)).filter((line) => line.startsWith('transfer'))).toEqual([]);
    expect(await told()).toEqual([]);
  });
});

describe('a session whose name was lost', () => {
  async function lost() {
    const { double, api } = world;
    const deposit = await created(world.client);
    double.faults.push('after');
    await expect(look(world, deposit.id)).rejects.toThrow();
    const session = double.session(deposit.id);
    pay(session, {}, true);
    const find = () => discover(api.services, 'checkout', session.sessionId);
    expect(await find()).toBe('open'); // its deposit will order the page again
    return { deposit, find };
  }

  it('that was paid in time completes its deposit after the expiry time', async () => {
    const { deposit } = await lost();
    const { ahead } = world.clock;
    world.clock.ahead += 31 * 60_000;
    expect((await look(world, deposit.id)).status).toBe('completed');
    world.clock.ahead = ahead;
  });

  it('is found for its deposit after an operator’s conclusion', async () => {
    const { deposit, find } = await lost();
    await conclude(deposit, 'failed');
    expect(await status(deposit)).toBe('failed');
    expect(await find()).toBe('known');
    await look(world, deposit.id);
    expect(await status(deposit)).toBe('manual_review');
    expect(await openBreaks(world, deposit.id)).toEqual(['transfer_suspense 100.00']);
  });
});

describe('a session that the party has forgotten', () => {
  const forget = ({ sessionId }: Session) => world.double.forget(sessionId);

  it('without a deposit changes nothing', async () => {
    const { double, api } = world;
    const sessionId = double.foreign('CHF');
    const session = double.sessions().find((each) => each.sessionId === sessionId) as Session;
    pay(session, { amount: '1.00', currency: 'CHF' });
    await discover(api.services, 'checkout', sessionId);
    forget(session);
    const id = String(api.commands.at(-1)?.args[0]);
    expect(await advance(api.services, depositKind, id)).toMatchObject({ open: false });
  });

  it('is created again while it can be paid, and not later', async () => {
    const { double } = world;
    const deposit = await payable(world);
    forget(deposit.session);
    await look(world, deposit.id);
    expect(double.session(deposit.id).sessionId).not.toBe(deposit.session.sessionId);
    forget(double.session(deposit.id));
    const { ahead } = world.clock;
    world.clock.ahead += 31 * 60_000;
    expect((await look(world, deposit.id)).status).toBe('expired');
    world.clock.ahead = ahead;
    expect(() => double.session(deposit.id)).toThrow();
  });
});

describe('POST deposits', () => {
  const key = { 'x-idempotency-key': randomUUID() };

  it('creates two deposits for an admin and a client under the same key', async () => {
    const admin = await world.api.client('admin');
    const made = [];
    for (const caller of [world.client, admin]) {
      const { body, accountId } = await quoted(world.client);
      const given = { quoteId: body.quoteId, returnUrl: RETURN_URL };
      made.push(await caller.call('POST', `/v2/accounts/${accountId}/deposits`, given, key));
    }
    expect(made.map(({ status: answered }) => answered)).toEqual([201, 201]);
    expect(new Set(made.map(({ body }) => body.id)).size).toBe(2);
  });

  it('returns the right checkoutUrl although returnUrl contains its template', async () => {
    const { body, accountId } = await quoted(world.client);
    const returnUrl = 'https://shop.example/back?from=/checkout/{token}';
    const path = `/v2/accounts/${await masterAccount(world.client)}/deposits`;
    const given = { quoteId: body.quoteId, returnUrl };
    const made = await world.client.call('POST', path, given, key);
    expect(made.body).toMatchObject({ accountId, returnUrl, status: 'created' });
    expect(made.body.checkoutUrl).toMatch(/^https:\/\/cards\.example\/checkout\/[\w-]{43}$/);
    expect((await world.client.call('POST', path, given, key)).text).toBe(made.text);
  });
});
