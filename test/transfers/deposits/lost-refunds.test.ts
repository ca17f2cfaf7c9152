import { Decimal } from '../../../src/kernel/money/money';
import { decideDeposit, refundDeposit } from '../../../src/transfers/deposits/decide';
import { noteLostCommits } from '../../../src/watch/lost-commits';
import { completed, type DepositWorld, depositWorld, look, pay, payable } from './support';

/** Commits were lost, and with them the record of a refund that the party has done. A person may ask for it again. */

let world: DepositWorld;
beforeAll(async () => {
  world = await depositWorld();
  world.client = await world.api.client();
});
beforeEach(() => world.api.database.query('truncate lost_commits, list_readings'));
afterAll(() => world.close());

const lose = () =>
  noteLostCommits(world.api.database, { since: new Date(), reason: 'mark' }, world.api.services.now());
const readTheList = () =>
  world.api.database.query(
    `insert into list_readings (party, read_at) values ('checkout', product_now() + interval '11 seconds')`,
  );
const by = { decidedBy: 'operator:ida', requestedBy: 'operator:ida' };
const refund = (depositId: string) =>
  world.api.database.transaction((tx) =>
    refundDeposit(world.api.services, tx, { depositId, amount: new Decimal('20.00'), ...by }),
  );
const reject = (depositId: string) =>
  world.api.database.transaction((tx) =>
    decideDeposit(world.api.services, tx, { depositId, decision: 'rejected', ...by }),
  );
const REFUSED = {
  status: 409,
  code: 'invalid_transition',
  message: expect.stringMatching(/^Commits were lost/),
};

it('refuses a refund until the list was read again, and while a refund found since then is unexplained', async () => {
  const deposit = await completed(world);
  await lose();
  await expect(refund(deposit.id)).rejects.toMatchObject(REFUSED);
  await readTheList();
  deposit.session.refunds.push({ id: 're_lost', amount: '20.00', status: 'succeeded' });
  await look(world, deposit.id);
  await expect(refund(deposit.id)).rejects.toMatchObject(REFUSED);
  await world.api.database.query(
    `update breaks set resolved_at = now(), resolved_by = 'test' where kind = 'deposit_refund_not_ours'`,
  );
  await refund(deposit.id);
  await look(world, deposit.id);
  expect(deposit.session.refunds).toHaveLength(2);
});

it('refuses a rejection until the list was read again', async () => {
  const deposit = await payable(world);
  pay(deposit.session, { amount: '70.00' });
  deposit.session.status = 'settled';
  await look(world, deposit.id);
  await lose();
  await expect(reject(deposit.id)).rejects.toMatchObject(REFUSED);
  await readTheList();
  await reject(deposit.id);
});

it('lets a refund pass whose break is older than the loss', async () => {
  const deposit = await completed(world);
  deposit.session.refunds.push({ id: 're_theirs', amount: '30.00', status: 'succeeded' });
  await look(world, deposit.id);
  await lose();
  await readTheList();
  await refund(deposit.id);
});
