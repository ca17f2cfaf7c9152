import type { Database } from '../../src/kernel/db/database';
import { forgetOldKeys } from '../../src/kernel/idempotency';
import { forgetOldEvents } from '../../src/tenants/webhooks/events/operations';
import { type TestDatabase, testDatabase } from '../support/database';

/**
 * A full load makes 5.4 million keys and as many events an hour, and a run may take ten minutes. Each row must be read a
 * bounded number of times, also while an old snapshot keeps the index entries of deleted rows.
 */

const ROWS = 20_000;

let test: TestDatabase;
beforeAll(async () => {
  test = await testDatabase();
});
afterAll(() => test.drop());

/** Reports the statistics of each transaction at once. */
const counted = (database: Database): Database => ({
  ...database,
  transaction: (work, options) =>
    database.transaction(async (tx) => {
      const result = await work(tx);
      await tx.query('select pg_stat_force_next_flush()');
      return result;
    }, options),
});

async function entriesRead(table: string): Promise<number> {
  const [row] = await test.database.query<{ read: string }>(
    'select sum(idx_tup_read) as read from pg_stat_user_indexes where relname = $1',
    [table],
  );
  return Number(row?.read);
}

const TABLES: [string, string, (database: Database) => Promise<number>][] = [
  [
    'idempotency_keys',
    `insert into idempotency_keys (name, fingerprint, status, body, created_at)
     select gen_random_uuid(), '', 201, '{}', now() - interval '26 hours' - n * interval '1 millisecond'
       from generate_series(1, $1::int) n`,
    forgetOldKeys,
  ],
  [
    'events',
    `insert into events (tenant_id, registration, event, data_id, data, created_at, shard, delivery)
     select 'cli_1', 'card', 'card_transaction', 'ctx_' || n, '{}', now() - interval '91 days', 1, 'delivered'
       from generate_series(1, $1::int) n`,
    (database) => forgetOldEvents(database, 90),
  ],
];

it.each(TABLES)('%s are read a bounded number of times', async (table, fill, forget) => {
  await test.database.query(fill, [ROWS]);
  await test.database.query(`analyze ${table}`);
  const before = await entriesRead(table);
  await test.database.transaction(async (tx) => {
    await tx.query('set transaction isolation level repeatable read');
    await tx.query(`select count(*) from ${table}`);
    expect(await forget(counted(test.database))).toBe(ROWS);
  });
  expect((await entriesRead(table)) - before).toBeLessThan(5 * ROWS);
  expect(await test.database.query(`select from ${table}`)).toEqual([]);
});
