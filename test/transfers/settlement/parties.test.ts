/** @long */
import { checkLedger } from '../../../src/kernel/ledger/check';
import {
  anotherOperator,
  command,
  dayGoesBy,
  operatorEnvironment,
  setAdminLimit,
} from '../../support/operator';
import { badWorld, MAKE, type World } from '../bad-input/world';

/** The debt of each party, and the booking of its payments. */

let on: World;
let ida: Record<string, string>;
let bob: Record<string, string>;
beforeEach(async () => {
  on = await badWorld();
  ida = await operatorEnvironment(on.api.database, 'ida');
  bob = await anotherOperator(ida, 'bob');
});
afterEach(async () => {
  expect(await checkLedger(on.api.database)).toEqual([]);
  await on.close();
});

const WHY = ['--reason', 'the statement of 3 May'];

const move = (party: string, amount: string, as: string, ...more: string[]) =>
  command(
    ida,
    ...['settlement', 'move', '--party', party, '--currency', 'USD', '--amount', amount, '--as', as],
    ...WHY,
    ...more,
  );

/** `party currency booked` of each account with a balance. */
async function owed(...options: string[]): Promise<string[]> {
  const { code, out, err } = await command(ida, 'settlement', 'list', ...options, '--json');
  if (code !== 0) throw new Error(err);
  const items = JSON.parse(out) as { party: string; currency: string; booked: { amount: string } }[];
  return items.map(({ party, currency, booked }) => `${party} ${currency} ${booked.amount}`);
}

const inUsd = () => owed('--currency', 'USD');

async function internal(account: string): Promise<number> {
  const [row] = await on.api.database.query<{ sum: string }>(
    'select coalesce(sum(available), 0) as sum from ledger_legs where account_id = $1',
    [account],
  );
  return Number(row?.sum);
}

it('shows two parties in one currency apart, and books the payment of one', async () => {
  await MAKE.checkout(on);
  await MAKE.externalCards(on);
  expect(await inUsd()).toEqual(['checkout USD 100.00', 'external-cards USD 100.00']);

  const { code, out } = await move('checkout', '97.00', 'withdrawal', '--json');
  expect([code, JSON.parse(out)]).toEqual([
    0,
    {
      referenceId: expect.any(String),
      party: 'checkout',
      currency: 'USD',
      amount: '97.00',
      as: 'withdrawal',
    },
  ]);
  expect(await inUsd()).toEqual(['checkout USD 3.00', 'external-cards USD 100.00']);
  // The party keeps its fee.
  expect((await move('checkout', '3.00', 'write-off')).code).toBe(0);
  expect(await inUsd()).toEqual(['external-cards USD 100.00']);
  expect(await Promise.all(['treasury:USD', 'losses:USD'].map(internal))).toEqual([-97, -3]);
  expect(
    await on.api.database.query(
      `select actor, subject, after->>'as' as as from audit_log where action = 'settlement.move' order by id`,
    ),
  ).toEqual([
    { actor: 'operator:ida', subject: 'checkout:USD', as: 'withdrawal' },
    { actor: 'operator:ida', subject: 'checkout:USD', as: 'write-off' },
  ]);
});

it('shows bank, payouts party and exchange apart in one currency', async () => {
  await MAKE.bank(on);
  await MAKE.payouts(on);
  await MAKE.exchange(on);
  expect(await owed('--currency', 'EUR')).toEqual([
    'payouts EUR -100.00',
    'bank EUR 500.00',
    'exchange EUR -100.00',
  ]);
  expect(await owed('--party', 'bank')).toEqual(['bank EUR 500.00']);
});

it('books our payment to a party, and a surplus that we keep', async () => {
  await MAKE.payouts(on);
  const euros = (amount: string, as: string, ...more: string[]) =>
    command(
      ida,
      ...['settlement', 'move', '--party', 'payouts', '--currency', 'EUR', '--amount', amount, '--as', as],
      ...WHY,
      ...more,
    );
  const preview = await euros('99.00', 'funding', '--preview', '--json');
  expect(JSON.parse(preview.out).effects).toEqual([
    { field: 'payouts owes us', from: '-100.00 EUR', to: '-1.00 EUR' },
  ]);
  expect(await owed('--party', 'payouts')).toEqual(['payouts EUR -100.00']);
  expect((await euros('99.00', 'funding')).out).toMatch(/amount +99\.00/);
  expect(await owed('--party', 'payouts')).toEqual(['payouts EUR -1.00']);
  for (const more of [[], ['--preview']]) expect((await euros('1.01', 'surplus', ...more)).code).toBe(4);
  expect((await euros('1.00', 'surplus')).code).toBe(0);
  expect(await owed('--party', 'payouts')).toEqual([]);
});

it('writes off no more than a party owes, even with two operators at once', async () => {
  await MAKE.checkout(on);
  const refused = await move('checkout', '100.01', 'write-off', '--json');
  expect([refused.code, JSON.parse(refused.err).message]).toEqual([4, expect.stringContaining('100.00 USD')]);
  const both = await Promise.all([
    move('checkout', '60.00', 'write-off'),
    move('checkout', '60.00', 'write-off'),
  ]);
  expect(both.map(({ code }) => code).sort()).toEqual([0, 4]);
  expect(await inUsd()).toEqual(['checkout USD 40.00']);
});

it('needs another operator above the limit', async () => {
  await setAdminLimit(on.api.database, '1000');
  await dayGoesBy(on.api.database);
  const { out } = await move('external-cards', '1000.01', 'funding', '--json');
  const { approval } = JSON.parse(out) as { approval: { id: string } };
  expect(await inUsd()).toEqual([]);
  expect((await command(ida, 'approval', 'approve', approval.id)).code).toBe(4);
  expect((await command(bob, 'approval', 'approve', approval.id)).code).toBe(0);
  expect(await inUsd()).toEqual(['external-cards USD 1000.01']);
});

it.each(['rates', 'chain', 'nobody'])('refuses %s, which has no account', async (party) => {
  const { code, err } = await move(party, '1.00', 'funding', '--json');
  expect([code, err]).toEqual([2, expect.stringContaining('card-processor, checkout, payouts')]);
});
