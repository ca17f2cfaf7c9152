import { checkLedger } from '../../../src/kernel/ledger/check';
import { Decimal } from '../../../src/kernel/money/money';
import { decideDeposit, refundDeposit } from '../../../src/transfers/deposits/decide';
import { resolveSuspense } from '../../../src/transfers/suspense';
import {
  completed,
  type DepositWorld,
  depositWorld,
  look,
  pay,
  payable,
  read,
  type TestDeposit,
  toldOf,
} from './support';

/** The amounts in a deposit's record and webhook: the moved amounts, and beside them the quoted ones. */

let world: DepositWorld;
beforeAll(async () => {
  world = await depositWorld();
});
beforeEach(async () => {
  world.client = await world.api.client();
  world.clock.ahead = 0;
});
afterEach(async () => expect(await checkLedger(world.api.database)).toEqual([]));
afterAll(() => world.close());

const QUOTED = { charged: '100.00', credited: '96.80', fee: '3.20' };

/** Expects these amounts in the record, and in the last webhook if one was sent. */
async function expectAmounts(
  deposit: TestDeposit,
  status: string,
  [chargedAmount, creditedAmount, serviceFee]: readonly [string, string, string],
  given: { currency?: string; told?: boolean } = {},
): Promise<void> {
  const { currency: chargedCurrency = 'USD', told = true } = given;
  const wanted = { chargedAmount, chargedCurrency, creditedAmount, creditedCurrency: 'USD', serviceFee };
  const expected = { id: deposit.id, status, ...wanted, amount: '100.00', currency: 'USD', quoted: QUOTED };
  expect(await read(world.client, deposit)).toMatchObject(expected);
  if (!told) return;
  const events = (await toldOf(world.api, world.client)).filter(({ event }) => event.includes('deposit.'));
  expect(events.at(-1)).toMatchObject({ event: `account.deposit.${status}`, data: expected });
}

const ida = { decidedBy: 'operator:ida', reason: 'Checked.' };
const decide = ({ id: depositId }: TestDeposit, decision: 'approved' | 'rejected') =>
  world.api.database.transaction((tx) =>
    decideDeposit(world.api.services, tx, { depositId, decision, ...ida }),
  );
const letOut = ({ id, accountId }: TestDeposit, door: 'credit' | 'write_off', amount?: string) =>
  world.api.database.transaction((tx) =>
    resolveSuspense(world.api.services, tx, {
      transferId: id,
      resolution: door,
      accountId,
      amount: amount === undefined ? undefined : new Decimal(amount),
      ...ida,
    }),
  );

it('the amounts are those of the quote until the payment is settled', async () => {
  const deposit = await payable(world);
  const quoted = ['100.00', '96.80', '3.20'] as const;
  await expectAmounts(deposit, 'awaiting_payment', quoted, { told: false });
  pay(deposit.session);
  await look(world, deposit.id);
  await expectAmounts(deposit, 'processing', quoted, { told: false });
  deposit.session.status = 'settled';
  await look(world, deposit.id);
  await expectAmounts(deposit, 'completed', quoted);
});

it.each(['expired', 'cancelled', 'failed'] as const)(
  'the amounts of a deposit that is %s are zero',
  async (status) => {
    const deposit = await payable(world);
    deposit.session.status = status;
    await look(world, deposit.id);
    await expectAmounts(deposit, status, ['0.00', '0.00', '0.00']);
  },
);

it('the amounts are the paid ones during a review, and zero after a full return', async () => {
  const deposit = await payable(world);
  pay(deposit.session, { amount: '70.05' });
  await look(world, deposit.id);
  await expectAmounts(deposit, 'manual_review', ['70.05', '0.00', '0.00']);
  deposit.session.status = 'settled';
  await look(world, deposit.id);
  await decide(deposit, 'rejected');
  await look(world, deposit.id);
  await expectAmounts(deposit, 'failed', ['0.00', '0.00', '0.00']);
});

it('the amounts are in the paid currency', async () => {
  const deposit = await payable(world);
  pay(deposit.session, { currency: 'EUR', amount: '90.00' }, true);
  await look(world, deposit.id);
  await expectAmounts(deposit, 'manual_review', ['90.00', '0.00', '0.00'], { currency: 'EUR' });
});

it.each(['credit', 'write_off'] as const)(
  'the amounts of a failed deposit are the kept ones after %s',
  async (door) => {
    const deposit = await payable(world);
    pay(deposit.session, { amount: '70.05' }, true);
    await look(world, deposit.id);
    await letOut(deposit, door, '30.05');
    await decide(deposit, 'rejected');
    await look(world, deposit.id);
    await expectAmounts(deposit, 'failed', ['30.05', '0.00', '0.00']);
  },
);

it('the amounts of an approved deposit are those of its credit, also after a refund', async () => {
  const deposit = await payable(world);
  pay(deposit.session, { amount: '90.00' }, true);
  await look(world, deposit.id);
  await decide(deposit, 'approved');
  const credited = ['90.00', '87.09', '2.91'] as const;
  await expectAmounts(deposit, 'completed', credited);
  await world.api.database.transaction((tx) =>
    refundDeposit(world.api.services, tx, {
      depositId: deposit.id,
      amount: new Decimal('90.00'),
      requestedBy: 'operator:ida',
    }),
  );
  await look(world, deposit.id);
  await look(world, deposit.id);
  await expectAmounts(deposit, 'refunded', credited);
});

it('the amounts of a disputed deposit are those of its credit', async () => {
  const deposit = await completed(world);
  deposit.session.disputes.push({ id: 'dp_1', amount: '100.00', status: 'open' });
  await look(world, deposit.id);
  await expectAmounts(deposit, 'chargeback', ['100.00', '96.80', '3.20']);
});
