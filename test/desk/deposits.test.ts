import { randomBytes } from 'node:crypto';
import { storedMasterKey } from '../support/keyring';
import { operatorOf, type TestOperator } from '../support/operator';
import {
  completed,
  type DepositWorld,
  depositWorld,
  look,
  pay,
  payable,
} from '../transfers/deposits/support';

let world: DepositWorld;
let operator: TestOperator;
beforeAll(async () => {
  world = await depositWorld();
  world.client = await world.api.client();
  operator = await operatorOf(world.api, (await storedMasterKey(world.api.database)) ?? randomBytes(32));
});
afterAll(() => world.close());

const waiting = async (queue: string): Promise<number> =>
  (await operator('desk', '--json')).json().find((each: { list: string }) => each.list === queue).count;
const storyOf = async (id: string) => (await operator('show', id, '--json')).json();

it('credits a deposit in review by a decision from the desk', async () => {
  const deposit = await payable(world);
  deposit.session.risk = 'review';
  pay(deposit.session, { amount: '80.00' }, true);
  await look(world, deposit.id);
  const { items } = (await operator('desk', 'list', 'deposits', '--kind', 'amount_differs', '--json')).json();
  expect(items).toMatchObject([{ id: deposit.id, why: 'amount_differs' }]);
  const story = await storyOf(deposit.id);
  expect(story.lists.words.length).toBeGreaterThan(0);
  expect(story).toMatchObject({ what: 'deposit', status: 'manual_review' });
  expect((await operator('deposit', 'approve', deposit.id, '--reason', 'seen the slip')).code).toBe(0);
  await look(world, deposit.id);
  expect(await waiting('deposits')).toBe(0);
  expect(await storyOf(deposit.id)).toMatchObject({
    status: 'completed',
    lists: {
      decisions: [
        { decision: 'question', decidedBy: 'system', reason: 'amount_differs' },
        { decision: 'approve', reason: 'seen the slip' },
        { decision: 'credit', decidedBy: 'system' },
      ],
    },
  });
});

it('previews in numbers what it credits, returns and refunds, and refuses as the decision does', async () => {
  const preview = async (...argv: string[]) =>
    (await operator('deposit', ...argv, '--preview', '--json')).json();
  const deposit = await payable(world);
  deposit.session.risk = 'review';
  pay(deposit.session, { amount: '80.00' });
  await look(world, deposit.id);
  expect((await preview('approve', deposit.id)).effects).toEqual([
    { field: 'status', from: 'manual_review', to: 'completed, once the payment is settled' },
    { field: 'credited', from: null, to: '77.38 USD' },
    { field: 'fee', from: null, to: '2.62 USD' },
  ]);
  const { effects, version, restsOn } = await preview('reject', deposit.id);
  expect(effects).toEqual([{ field: 'returned to the payer', from: null, to: '80.00 USD' }]);
  expect(restsOn).toMatchObject({ status: 'manual_review', paid: '80.00 USD' });
  pay(deposit.session, { amount: '90.00' });
  await look(world, deposit.id);
  const late = await operator('deposit', 'reject', deposit.id, '--reason', 'no', '--version', version);
  expect([late.code, late.err]).toEqual([4, expect.stringContaining('paid: 80.00 USD')]);
  const done = await completed(world);
  expect((await preview('refund', done.id, '--amount', '25')).effects).toEqual([
    { field: 'left to refund', from: '100.00 USD', to: '75.00 USD' },
    { field: 'returned to the payer', from: null, to: '25.00 USD' },
  ]);
  expect((await operator('deposit', 'refund', done.id, '--amount', '100.01', '--preview')).code).toBe(4);
  expect((await operator('deposit', 'approve', done.id, '--preview')).code).toBe(4);
  const { values } = (await operator('desk', 'figure', 'deposits-open', '--json')).json();
  expect(values).toContainEqual({ labels: { status: 'manual_review' }, value: 1 });
  expect((await operator('deposit', 'reject', deposit.id, '--reason', 'no')).code).toBe(0);
});

it('keeps the party’s words unchanged, each once, and only the newest 64', async () => {
  const deposit = await completed(world);
  const before = (await storyOf(deposit.id)).lists.words.length;
  await look(world, deposit.id);
  expect((await storyOf(deposit.id)).lists.words).toHaveLength(before);
  const { database } = world.api;
  await database.query(
    `insert into transfer_words (transfer_id, slot, revision, word, at)
     select $1, n % 64, n, jsonb_build_object('n', n), now() from generate_series(1000, 1063) n
     on conflict (transfer_id, slot) do update set revision = excluded.revision, word = excluded.word`,
    [deposit.id],
  );
  const { words } = (await operator('show', deposit.id, '--limit', '100', '--json')).json().lists;
  expect([words.length, words[0].word, words.at(-1).word]).toEqual([64, { n: 1000 }, { n: 1063 }]);
});
