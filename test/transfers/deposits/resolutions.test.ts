import { checkLedger } from '../../../src/kernel/ledger/check';
import { Decimal } from '../../../src/kernel/money/money';
import { decideDeposit, refundDeposit } from '../../../src/transfers/deposits/decide';
import { resolveSuspense } from '../../../src/transfers/suspense';
import { accountBalance } from '../../cards/cards/support';
import { fund } from '../../support/cards';
import {
  completed,
  type DepositWorld,
  depositWorld,
  look,
  openBreaks,
  pay,
  payable,
  read,
  type TestDeposit,
} from './support';

/** Money that has left suspense by a door, or is promised, is not available to another decision. */

let world: DepositWorld;
beforeAll(async () => {
  world = await depositWorld();
});
beforeEach(async () => {
  world.client = await world.api.client();
  world.clock.ahead = 0;
  world.double.refundsBegin = 'pending';
});
afterEach(async () => expect(await checkLedger(world.api.database)).toEqual([]));
afterAll(() => world.close());

type Paid = Awaited<ReturnType<typeof payable>>;

const REFUSED = { code: 'invalid_transition' };
const door = (
  deposit: TestDeposit,
  by: 'credit' | 'return' | 'write_off' | 'recover',
  amount?: string,
): Promise<unknown> =>
  world.api.database.transaction((tx) =>
    resolveSuspense(world.api.services, tx, {
      transferId: deposit.id,
      resolution: by,
      reason: 'Checked.',
      decidedBy: 'operator:ida',
      accountId: deposit.accountId,
      amount: amount === undefined ? undefined : new Decimal(amount),
    }),
  );
const decide = ({ id }: TestDeposit, decision: 'approved' | 'rejected') =>
  world.api.database.transaction((tx) =>
    decideDeposit(world.api.services, tx, { depositId: id, decision, decidedBy: 'operator:ida' }),
  );
const refund = ({ id }: TestDeposit, amount: string) =>
  world.api.database.transaction((tx) =>
    refundDeposit(world.api.services, tx, {
      depositId: id,
      amount: new Decimal(amount),
      requestedBy: 'operator:ida',
    }),
  );
const stands = async (deposit: TestDeposit) => [
  (await read(world.client, deposit)).status,
  await accountBalance(world.client, deposit.accountId),
  await openBreaks(world, deposit.id),
];
const done = async ({ id, session }: Paid) => {
  for (const each of session.refunds) each.status = 'succeeded';
  await look(world, id);
};

/** A deposit that was paid and settled after its expiry, so that it is in review with 100.00 in suspense. */
async function paidLate(): Promise<Paid> {
  const deposit = await payable(world);
  world.clock.ahead = 31 * 60_000;
  await look(world, deposit.id);
  pay(deposit.session, {}, true);
  await look(world, deposit.id);
  expect(await stands(deposit)).toEqual(['manual_review', '0.00 0.00', ['transfer_suspense 100.00']]);
  return deposit;
}

describe('a deposit in review', () => {
  it.each([
    ['credited to an account', 'credit', '100.00 0.00'],
    ['written off', 'write_off', '0.00 0.00'],
  ] as const)('ends as failed when its money is %s, and takes no decision any more', async (_, by, has) => {
    const deposit = await paidLate();
    await door(deposit, by);
    const ended = ['failed', has, []];
    expect(await stands(deposit)).toEqual(ended);
    for (const decision of ['approved', 'rejected'] as const)
      await expect(decide(deposit, decision)).rejects.toMatchObject(REFUSED);
    await look(world, deposit.id);
    expect([await stands(deposit), deposit.session.refunds]).toEqual([ended, []]);
  });

  it('takes no decision while a door returns the money to the payer, and the return ends the review', async () => {
    const whole = await paidLate();
    await door(whole, 'return');
    for (const decision of ['approved', 'rejected'] as const)
      await expect(decide(whole, decision)).rejects.toMatchObject(REFUSED);
    await look(world, whole.id);
    await done(whole);
    expect(await stands(whole)).toEqual(['failed', '0.00 0.00', []]);
  });

  it('is approved with the amount that the resolutions have left', async () => {
    const deposit = await paidLate();
    await door(deposit, 'write_off', '10.00');
    await door(deposit, 'return', '30.00');
    await decide(deposit, 'approved');
    expect(await stands(deposit)).toEqual(['completed', '57.96 0.00', ['transfer_suspense 30.00']]);
    await look(world, deposit.id);
    await done(deposit);
    expect(await stands(deposit)).toEqual(['completed', '57.96 0.00', []]);
    expect((await read(world.client, deposit)).chargedAmount).toBe('60.00');
  });

  it('is rejected with the amount that the resolutions have left', async () => {
    const deposit = await paidLate();
    await door(deposit, 'credit', '40.00');
    await decide(deposit, 'rejected');
    await look(world, deposit.id);
    expect(deposit.session.refunds).toMatchObject([{ amount: '60.00' }]);
    await done(deposit);
    expect(await stands(deposit)).toEqual(['failed', '40.00 0.00', []]);
  });

  describe('with a dispute while a refund is requested', () => {
    /** A deposit whose whole credit is to be refunded, and is then disputed: the party's balance is −100.00. */
    async function disputed(): Promise<Paid> {
      const deposit = await completed(world);
      await refund(deposit, '100.00');
      await look(world, deposit.id);
      deposit.session.disputes.push({ id: 'dp_1', amount: '100.00', status: 'open' });
      await look(world, deposit.id);
      expect(await stands(deposit)).toEqual([
        'chargeback',
        '0.00 96.80',
        ['deposit_refund_not_ours 100.00', 'transfer_suspense -100.00'],
      ]);
      for (const by of ['recover', 'write_off', 'credit', 'return'] as const)
        await expect(door(deposit, by)).rejects.toMatchObject(REFUSED);
      return deposit;
    }

    it('refuses a recovery, because the refund may fail and leave no shortage', async () => {
      const deposit = await disputed();
      for (const each of deposit.session.refunds) each.status = 'failed';
      await look(world, deposit.id);
      expect((await stands(deposit))[1]).toBe('0.00 0.00');
      expect(await openBreaks(world, deposit.id)).not.toContain('transfer_suspense -100.00');
      await expect(door(deposit, 'recover')).rejects.toMatchObject(REFUSED);
    });

    it('allows a recovery after the refund has succeeded', async () => {
      const deposit = await disputed();
      await done(deposit);
      await fund(world.api, deposit.accountId, '100.00');
      await door(deposit, 'recover');
      expect((await stands(deposit))[1]).toBe('0.00 0.00');
    });
  });

  it('allows no door after a rejection, or after an approval before the settlement', async () => {
    const rejected = await paidLate();
    await decide(rejected, 'rejected');
    for (const by of ['credit', 'write_off', 'return', 'recover'] as const)
      await expect(door(rejected, by)).rejects.toMatchObject(REFUSED);
    const approved = await payable(world);
    pay(approved.session, { amount: '40.00' }, true);
    approved.session.others.push({ id: 'pay-2', amount: '50.00', status: 'pending' });
    await look(world, approved.id);
    await decide(approved, 'approved');
    for (const by of ['credit', 'write_off', 'return', 'recover'] as const)
      await expect(door(approved, by)).rejects.toMatchObject(REFUSED);
    Object.assign(approved.session.others[0] ?? {}, { status: 'settled' });
    await look(world, approved.id);
    expect(await stands(approved)).toEqual(['completed', '87.09 0.00', []]);
  });
});

it('a deposit is reviewed when a door was used before its last payment settled', async () => {
  const deposit = await payable(world);
  pay(deposit.session, { amount: '40.00' }, true);
  deposit.session.others.push({ id: 'pay-2', amount: '60.00', status: 'pending' });
  await look(world, deposit.id);
  expect(await stands(deposit)).toEqual(['processing', '0.00 0.00', ['transfer_suspense 40.00']]);
  await door(deposit, 'credit');
  Object.assign(deposit.session.others[0] ?? {}, { status: 'settled' });
  await look(world, deposit.id);
  expect(await stands(deposit)).toEqual(['manual_review', '40.00 0.00', ['transfer_suspense 60.00']]);
  await decide(deposit, 'approved');
  expect(await stands(deposit)).toEqual(['completed', '97.96 0.00', []]);
});

describe('a refund that an operator orders', () => {
  const surplus = async (amount: string): Promise<Paid> => {
    const deposit = await completed(world);
    deposit.session.others.push({ id: 'pay-2', amount, status: 'settled' });
    await look(world, deposit.id);
    return deposit;
  };

  it('is taken from the client after the surplus was credited to it', async () => {
    const deposit = await surplus('100.00');
    await door(deposit, 'credit');
    expect(await stands(deposit)).toEqual(['completed', '196.80 0.00', []]);
    await refund(deposit, '100.00');
    expect(await stands(deposit)).toEqual(['completed', '100.00 96.80', []]);
    await look(world, deposit.id);
    await done(deposit);
    expect(await stands(deposit)).toEqual(['refunded', '100.00 0.00', []]);
  });

  it('is taken from the rest of the surplus first', async () => {
    const deposit = await surplus('100.00');
    await door(deposit, 'write_off', '70.00');
    await refund(deposit, '50.00');
    expect(await stands(deposit)).toEqual([
      ...['completed', '77.44 19.36'],
      ['transfer_suspense 30.00'], // promised to the payer
    ]);
    for (const by of ['credit', 'write_off', 'return'] as const)
      await expect(door(deposit, by)).rejects.toMatchObject(REFUSED);
    await look(world, deposit.id);
    await done(deposit);
    expect(await stands(deposit)).toEqual(['completed', '77.44 0.00', []]);
    expect((await read(world.client, deposit)).refundedAmount).toBe('20.00');
  });
});
