import { approvalDesk } from '../../src/desk/approvals/desk';
import { catalogueOf, waitingCounts } from '../../src/desk/catalogue';
import { overdueDesk } from '../../src/desk/overdue';
import { breakDesk } from '../../src/process/breaks/desk';
import { outboxDesk } from '../../src/process/outbox/desk';
import { type TestDatabase, testDatabase } from '../support/database';

let test: TestDatabase;
beforeAll(async () => {
  test = await testDatabase();
});
afterAll(() => test.drop());

const deps = () => ({ database: test.database, now: () => new Date() });
const desks = () => [overdueDesk, approvalDesk, breakDesk, outboxDesk].map((desk) => desk(deps()));
const lists = () => catalogueOf(test.database, desks()).lists;
const countOf = async (name: string) =>
  (await waitingCounts(lists(), test.database)).find(({ list }) => list === name);

interface Page {
  filters?: Record<string, unknown>;
  after?: { since: Date; id: string };
  limit?: number;
}

/** The rows of a list, with its place. */
async function rowsOf(wanted: string, { filters = {}, after, limit = 9 }: Page = {}) {
  const found = lists().find(({ name }) => name === wanted);
  if (!found) throw new Error(wanted);
  const rows = (await found.rows({ filters, after, limit })) as Record<string, any>[];
  return rows.map((row) => ({ row, place: found.place(row) }));
}

const park = (name: string, minutes: number) =>
  test.database.query(
    `insert into workflow_commands (workflow, workflow_id, task_queue, action, args, parked_at, last_error, attempts)
     values ($1, $1 || '-1', 'processes', 'start', '[]', now() - make_interval(mins => $2), 'INVALID_ARGUMENT', 20)`,
    [name, minutes],
  );

it('counts the rows of every list, with the age of the oldest', async () => {
  for (const { count, oldestSeconds } of await waitingCounts(lists(), test.database))
    expect([count, oldestSeconds]).toEqual([0, 0]);
  await park('cardIssuance', 10);
  await park('cardClosure', 30);
  const parked = await countOf('commands');
  expect(parked).toMatchObject({ count: 2 });
  expect(parked?.oldestSeconds).toBeGreaterThanOrEqual(1800);
  expect(parked?.oldestSeconds).toBeLessThan(1900);
});

it('pages a list, longest waiting first', async () => {
  const [first] = await rowsOf('commands', { limit: 1 });
  expect(first).toMatchObject({ row: { workflow: 'cardClosure' } });
  const rest = await rowsOf('commands', { ...(first ? { after: first.place } : {}) });
  expect(rest).toMatchObject([{ row: { workflow: 'cardIssuance' } }]);
});

it('filters by kind, tenant and age', async () => {
  expect(await rowsOf('commands', { filters: { kind: 'cardIssuance' } })).toHaveLength(1);
  const old = await rowsOf('commands', { filters: { olderThan: 20 * 60_000 } });
  expect(old).toMatchObject([{ row: { workflow: 'cardClosure' } }]);
  for (const { name } of lists()) expect(await rowsOf(name, { filters: { client: 'cli_none' } })).toEqual([]);
});

it('shows overdue records of every kind, longest first', async () => {
  await test.database.query(
    `insert into reported_names (party, ref, first_reported_at, due_by) values ('checkout', 'cs_1', now(), now() - interval '1 hour'),
            ('bank', 'b_1', now(), now() - interval '2 hours'), ('bank', 'b_2', now(), now() + interval '1 hour')`,
  );
  const overdue = await rowsOf('overdue');
  expect(overdue.map(({ row }) => row['id'])).toEqual(['b_1', 'cs_1']);
  expect(overdue[1]?.row).toMatchObject({
    workflowId: 'checkout-payment-cs_1',
    what: 'names told: checkout',
  });
  expect(await countOf('overdue')).toMatchObject({ count: 2 });
});
