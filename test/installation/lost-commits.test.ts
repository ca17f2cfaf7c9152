import { seedStatus } from '../../src/chain/wallets/seed/seed';
import { newOrderId } from '../../src/kernel/idempotency';
import { newId } from '../../src/kernel/ids';
import { mayRepeatLost } from '../../src/process/lost-orders';
import { type TestApi, testApi } from '../support/api';
import { testKeyring } from '../support/keyring';
import { operatorOf, type TestOperator } from '../support/operator';

/** A person records a loss, after other tools have restored the database. */

const keyring = testKeyring();
let api: TestApi;
let operator: TestOperator;
beforeAll(async () => {
  api = await testApi({ keyring });
  operator = await operatorOf(api, keyring.root);
  await api.database.query(
    `insert into commit_marks (process, number, at) values
       (gen_random_uuid(), 7, '2026-01-31T11:59:40Z'), (gen_random_uuid(), 9, '2026-01-31T12:00:00Z')`,
  );
});
afterAll(() => api.close());

const rows = (columns: string, table: string) =>
  api.database.query(`select ${columns} from ${table} order by 1`);
const nextIndex = async () => (await seedStatus(api.database, api.services.keyring)).nextIndex.evm;
/** By a process of its own, because each remembers for a while that no loss is recent. */
const isHeldBack = (id: string) => mayRepeatLost({ ...api.database }, 'payouts', id);

it('begins the recovery from the last sign of a worker, and keeps orders of lost records back', async () => {
  const key = { callerId: newId('tenant'), idempotencyKey: 'order 66' };
  const repeat = newOrderId('payout', key, newId('account'));
  const [before, wasHeldBack] = [await nextIndex(), await isHeldBack(repeat)];
  const told = await operator('lost-commits', '--json');
  expect([told.code, told.json()]).toEqual([0, { since: '2026-01-31T12:00:00.000Z', isNew: true }]);
  expect([wasHeldBack, await isHeldBack(repeat)]).toEqual([false, true]);
  expect((await nextIndex()) - before).toBe(100_000);
  expect(await rows('since, reason', 'lost_commits')).toEqual([
    { since: new Date('2026-01-31T12:00:00Z'), reason: 'restore' },
  ]);
  expect(await rows('kind, detail', 'breaks')).toEqual([
    { kind: 'commits_lost', detail: 'since 2026-01-31T12:00:00.000Z: restore' },
  ]);
  expect(await rows('actor, action, after', `audit_log where action = 'commits.lost'`)).toMatchObject([
    { action: 'commits.lost', after: told.json() },
  ]);
});

it('records a loss once', async () => {
  const again = await operator('lost-commits');
  expect([again.code, again.text]).toEqual([0, expect.stringContaining('is recorded already')]);
  expect(await rows('reason', 'lost_commits')).toHaveLength(1);
});

it('takes a moment, and refuses what is none', async () => {
  const wrong = await operator('lost-commits', '--since', 'yesterday');
  expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('2026-01-31T12:00:00Z')]);
  const later = new Date(Date.now() + 60_000).toISOString();
  expect((await operator('lost-commits', '--since', later, '--json')).json()).toEqual({
    since: later,
    isNew: true,
  });
});

it('refuses to take a mark of a running worker for the last sign before the loss', async () => {
  await api.database.query(
    'insert into commit_marks (process, number, at) values (gen_random_uuid(), 1, clock_timestamp())',
  );
  const known = await rows('since', 'lost_commits');
  const told = await operator('lost-commits');
  expect([told.code, told.err]).toEqual([4, expect.stringMatching(/Stop all workers.*--since/s)]);
  expect(await rows('since', 'lost_commits')).toEqual(known);
  const since = new Date(Date.now() + 120_000).toISOString();
  expect((await operator('lost-commits', '--since', since, '--json')).json()).toEqual({ since, isNew: true });
});
