import { checkLedger } from '../../src/kernel/ledger/check';
import { Decimal } from '../../src/kernel/money/money';
import { adoptTransfer, concludeTransfer } from '../../src/transfers/conclude';
import { decideDeposit, refundDeposit } from '../../src/transfers/deposits/decide';
import { useDoor } from '../../src/transfers/suspense';
import { accountBalance } from '../cards/cards/support';
import type { Session } from './deposits/party-double';
import {
  completed,
  type DepositWorld,
  depositWorld,
  look,
  openBreaks,
  read,
  type TestDeposit,
} from './deposits/support';

/** Transfers of an earlier release whose books are not what they should be: nothing is posted until a person adopts them. */

let world: DepositWorld;
beforeAll(async () => {
  world = await depositWorld();
});
beforeEach(async () => {
  world.client = await world.api.client();
});
afterEach(async () => expect(await checkLedger(world.api.database)).toEqual([]));
afterAll(() => world.close());

const balance = ({ accountId }: TestDeposit) => accountBalance(world.client, accountId);
const PERSON = { reason: 'Checked.', decidedBy: 'operator:ida' };

/** As the release before left it: it knew of the party's disputes, and has booked nothing of them. */
const unadopted = ({ id, session }: TestDeposit & { session: Session }) =>
  world.api.database.query(
    `update transfers set adopted = false, word = jsonb_set(word, '{disputes}', $2::jsonb) where id = $1`,
    [id, JSON.stringify(session.disputes.map((each) => ({ currency: 'USD', ...each })))],
  );

/** Completed, then charged back, which the release before did not hear; the client has spent what it was given. */
async function missedChargeback() {
  const deposit = await completed(world);
  const admin = await world.api.client('admin');
  const spent = { accountId: deposit.accountId, amount: '96.80', reason: 'test' };
  await admin.call('POST', '/v1/accounts/admin-withdrawal', spent);
  deposit.session.disputes.push({ id: 'dp_1', amount: '100.00', status: 'open' });
  await unadopted(deposit);
  await look(world, deposit.id);
  expect(await openBreaks(world, deposit.id)).toContain('transfer_not_adopted 96.80');
  return deposit;
}

const refund = ({ id }: TestDeposit) =>
  world.api.database.transaction((tx) =>
    refundDeposit(world.api.services, tx, { depositId: id, requestedBy: 'operator:ida' }),
  );
const adopt = ({ id }: TestDeposit) =>
  world.api.database.transaction((tx) =>
    adoptTransfer(world.api.services, tx, { transferId: id, ...PERSON }),
  );

it('what a word demands is debited on adoption, though the account end below zero', async () => {
  const deposit = await missedChargeback();
  expect(await balance(deposit)).toBe('0.00 0.00');
  await adopt(deposit);
  expect(await balance(deposit)).toBe('-96.80 0.00');
  expect(await openBreaks(world, deposit.id)).toEqual([
    'deposit_refund_not_ours 100.00',
    'transfer_below_zero -96.80',
  ]);
  await expect(adopt(deposit)).rejects.toMatchObject({ code: 'invalid_transition' });
});

it('takes no other decision until it is adopted', async () => {
  const deposit = await missedChargeback();
  const { services, database } = world.api;
  const { id } = deposit;
  const decisions: ((tx: Parameters<typeof useDoor>[1]) => Promise<unknown>)[] = [
    (tx) =>
      refundDeposit(services, tx, { depositId: id, amount: new Decimal(1), requestedBy: 'operator:ida' }),
    (tx) => decideDeposit(services, tx, { depositId: id, decision: 'approved', decidedBy: 'operator:ida' }),
    (tx) => useDoor(services, tx, { transferId: id, door: 'write_off', ...PERSON }),
    (tx) =>
      concludeTransfer(services, tx, {
        ...{ transferId: id, as: 'paid', evidence: 'a letter', decidedBy: 'operator:ida' },
      }),
  ];
  for (const decide of decisions)
    await expect(database.transaction(decide)).rejects.toMatchObject({
      code: 'invalid_transition',
      message: expect.stringContaining('adopted'),
    });
});

it('takes decisions at once where its books are what they should be', async () => {
  const deposit = await completed(world);
  await world.api.database.query('update transfers set adopted = false where id = $1', [deposit.id]);
  await refund(deposit);
  expect(await balance(deposit)).toBe('0.00 96.80');
  await look(world, deposit.id);
  expect((await read(world.client, deposit)).status).toBe('refunded');
});

it('gives its party no order until it is adopted', async () => {
  const deposit = await completed(world);
  world.double.refundsBegin = 'pending';
  await refund(deposit);
  deposit.session.disputes.push({ id: 'dp_2', amount: '105.00', status: 'open' });
  await unadopted(deposit);
  await look(world, deposit.id);
  expect(deposit.session.refunds).toEqual([]);
  await adopt(deposit);
  await look(world, deposit.id);
  expect(deposit.session.refunds).toMatchObject([{ amount: '100.00' }]);
});
