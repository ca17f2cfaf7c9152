import { checkLedger } from '../../../src/kernel/ledger/check';
import { Decimal } from '../../../src/kernel/money/money';
import { concludeTransfer } from '../../../src/transfers/conclude';
import { decideDeposit, refundDeposit } from '../../../src/transfers/deposits/decide';
import { accountBalance } from '../../cards/cards/support';
import {
  completed,
  type DepositWorld,
  depositWorld,
  internal,
  look,
  openBreaks,
  pay,
  payable,
  read,
  type TestDeposit,
} from './support';

/** An operator's conclusion ends what the party leaves open, and nothing that the party has settled. */

let world: DepositWorld;
beforeAll(async () => {
  world = await depositWorld();
});
beforeEach(async () => {
  world.client = await world.api.client();
  world.double.refundsBegin = 'pending';
});
afterEach(async () => expect(await checkLedger(world.api.database)).toEqual([]));
afterAll(() => world.close());

const conclude = ({ id }: TestDeposit, as: 'paid' | 'failed') =>
  world.api.database.transaction((tx) =>
    concludeTransfer(world.api.services, tx, {
      transferId: id,
      as,
      evidence: 'a letter',
      decidedBy: 'operator:ida',
    }),
  );
const refund = ({ id }: TestDeposit, amount?: string) =>
  world.api.database.transaction((tx) =>
    refundDeposit(world.api.services, tx, {
      depositId: id,
      amount: amount === undefined ? undefined : new Decimal(amount),
      requestedBy: 'operator:ida',
    }),
  );
const decide = ({ id }: TestDeposit, decision: 'approved' | 'rejected') =>
  world.api.database.transaction((tx) =>
    decideDeposit(world.api.services, tx, { depositId: id, decision, decidedBy: 'operator:ida' }),
  );
const stands = async (deposit: TestDeposit) => [
  (await read(world.client, deposit)).status,
  await accountBalance(world.client, deposit.accountId),
  await openBreaks(world, deposit.id),
];

/** A deposit that was paid 100 and 50, with 50 in suspense, and with a refund of 70 that the party never ends. */
async function refunding() {
  const deposit = await completed(world);
  deposit.session.others.push({ id: 'pay-2', amount: '50.00', status: 'settled' });
  await look(world, deposit.id);
  await refund(deposit, '70.00');
  await look(world, deposit.id);
  expect(deposit.session.refunds).toMatchObject([{ status: 'pending', amount: '70.00' }]);
  expect(await stands(deposit)).toEqual(['completed', '77.44 19.36', ['transfer_suspense 50.00']]);
  return deposit;
}

describe('a refund that its party never ends', () => {
  it('concluded as paid is taken from suspense first, and then from the account', async () => {
    const deposit = await refunding();
    const before = Number(await internal(world.api, 'checkout', 'USD'));
    await conclude(deposit, 'paid');
    expect(Number(await internal(world.api, 'checkout', 'USD')) - before).toBe(70);
    expect(await stands(deposit)).toEqual(['completed', '77.44 0.00', []]);
    expect((await read(world.client, deposit)).refundedAmount).toBe('20.00');
  });

  it('concluded as failed releases its hold, and is not ordered again', async () => {
    const deposit = await refunding();
    await conclude(deposit, 'failed');
    const after = ['completed', '96.80 0.00', ['deposit_refund_failed 70.00', 'transfer_suspense 50.00']];
    expect(await stands(deposit)).toEqual(after);
    await look(world, deposit.id);
    expect([await stands(deposit), deposit.session.refunds.length]).toEqual([after, 1]);
    await expect(conclude(deposit, 'paid')).rejects.toMatchObject({ code: 'invalid_transition' });
  });

  it('concluded as failed before its order never reaches the party', async () => {
    const deposit = await completed(world);
    await refund(deposit, '25.00');
    await conclude(deposit, 'failed');
    expect(await stands(deposit)).toEqual(['completed', '96.80 0.00', ['deposit_refund_failed 25.00']]);
    await look(world, deposit.id);
    expect(deposit.session.refunds).toEqual([]);
  });

  it('is concluded alone, and a later refund is ordered', async () => {
    const deposit = await refunding();
    await conclude(deposit, 'failed');
    await refund(deposit, '10.00');
    const [status, has] = await stands(deposit);
    expect([status, has]).toEqual(['completed', '96.80 0.00']); // taken from the surplus, which was not credited
    await look(world, deposit.id);
    expect(deposit.session.refunds.map(({ amount }) => amount)).toEqual(['70.00', '10.00']);
  });
});

describe('a payment that its party never settles', () => {
  it('concluded as paid in review can be approved with its amount', async () => {
    const deposit = await payable(world);
    pay(deposit.session, { amount: '80.00' });
    await look(world, deposit.id);
    await conclude(deposit, 'paid');
    expect(await stands(deposit)).toEqual(['manual_review', '0.00 0.00', ['transfer_suspense 80.00']]);
    await decide(deposit, 'approved');
    expect(await stands(deposit)).toEqual(['completed', '77.38 0.00', []]);
    expect(await read(world.client, deposit)).toMatchObject({ chargedAmount: '80.00' });
  });

  it('concluded as failed keeps the settled payment beside it', async () => {
    const deposit = await payable(world);
    pay(deposit.session);
    deposit.session.others.push({ id: 'pay-2', amount: '50.00', status: 'settled' });
    await look(world, deposit.id);
    await conclude(deposit, 'failed');
    expect(await stands(deposit)).toEqual(['manual_review', '0.00 0.00', ['transfer_suspense 50.00']]);
  });
});

it('a conclusion is refused when nothing is open', async () => {
  const deposit = await payable(world);
  pay(deposit.session, { amount: '80.00' }, true);
  await look(world, deposit.id);
  for (const as of ['paid', 'failed'] as const)
    await expect(conclude(deposit, as)).rejects.toMatchObject({ code: 'invalid_transition' });
  expect(await stands(deposit)).toEqual(['manual_review', '0.00 0.00', ['transfer_suspense 80.00']]);
});
