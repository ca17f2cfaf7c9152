import { catalogueOf, waitingCounts } from '../../src/desk/catalogue';
import { pageOfQueue } from '../../src/desk/queue';
import { undeclaredDesk } from '../../src/desk/undeclared';
import { QUEUES } from '../../src/desk/waiting';
import { createKeyring } from '../../src/kernel/security/keyring';
import { type TestDatabase, testDatabase } from '../support/database';

let test: TestDatabase;
beforeAll(async () => {
  test = await testDatabase();
});
afterAll(() => test.drop());

const deps = () => ({ database: test.database, now: () => new Date() });
const lists = () =>
  catalogueOf(test.database, [
    undeclaredDesk({ ...deps(), keyring: createKeyring(Buffer.alloc(32)) }, () => undefined),
  ]).lists;
const countOf = async (name: string) =>
  (await waitingCounts(lists(), test.database)).find(({ list }) => list === name);
const requireQueue = (wanted: string) => {
  const found = QUEUES.find(({ name }) => name === wanted);
  if (!found) throw new Error(wanted);
  return found;
};

const park = (name: string, minutes: number) =>
  test.database.query(
    `insert into workflow_commands (workflow, workflow_id, task_queue, action, args, parked_at, last_error, attempts)
     values ($1, $1 || '-1', 'processes', 'start', '[]', now() - make_interval(mins => $2), 'INVALID_ARGUMENT', 20)`,
    [name, minutes],
  );

it('counts the records in every queue, with the age of the oldest', async () => {
  const empty = await waitingCounts(lists(), test.database);
  expect(empty).toEqual(QUEUES.map(({ name }) => ({ list: name, count: 0, oldestSeconds: 0 })));
  await park('cardIssuance', 10);
  await park('cardClosure', 30);
  const parked = await countOf('commands');
  expect(parked).toMatchObject({ count: 2 });
  expect(parked?.oldestSeconds).toBeGreaterThanOrEqual(1800);
  expect(parked?.oldestSeconds).toBeLessThan(1900);
});

it('pages a queue, longest waiting first', async () => {
  const queue = requireQueue('commands');
  const first = await pageOfQueue(deps(), queue, { limit: 1 });
  expect(first.items).toMatchObject([{ record: { workflow: 'cardClosure' } }]);
  const second = await pageOfQueue(deps(), queue, { limit: 1, after: first.next });
  expect(second.items).toMatchObject([{ record: { workflow: 'cardIssuance' } }]);
  expect(second.next).toBeUndefined();
});

it('filters by kind, tenant, currency and age, and refuses a filter that the queue does not have', async () => {
  const commands = requireQueue('commands');
  const kind = await pageOfQueue(deps(), commands, { kind: 'cardIssuance', limit: 9 });
  expect(kind.items).toHaveLength(1);
  const old = await pageOfQueue(deps(), commands, { before: new Date(Date.now() - 20 * 60_000), limit: 9 });
  expect(old.items).toMatchObject([{ record: { workflow: 'cardClosure' } }]);
  await expect(pageOfQueue(deps(), commands, { currency: 'USD', limit: 9 })).rejects.toMatchObject({
    status: 400,
    field: 'currency',
  });
  await expect(pageOfQueue(deps(), commands, { after: 'x', limit: 9 })).rejects.toMatchObject({
    status: 400,
    field: 'after',
  });
  for (const queue of QUEUES)
    expect((await pageOfQueue(deps(), queue, { tenantId: 'cli_none', limit: 9 })).items).toEqual([]);
});

it('shows overdue records of every kind, longest first', async () => {
  await test.database.query(
    `insert into told_names (party, ref, first_told_at, due_by) values ('checkout', 'cs_1', now(), now() - interval '1 hour'),
            ('bank', 'b_1', now(), now() - interval '2 hours'), ('bank', 'b_2', now(), now() + interval '1 hour')`,
  );
  const { items } = await pageOfQueue(deps(), requireQueue('overdue'), { limit: 9 });
  expect(items.map(({ id }) => id)).toEqual(['b_1', 'cs_1']);
  expect(items[1]).toMatchObject({
    record: { workflowId: 'checkout-payment-cs_1', what: 'names told: checkout' },
  });
  expect(await countOf('overdue')).toMatchObject({ count: 2 });
});
