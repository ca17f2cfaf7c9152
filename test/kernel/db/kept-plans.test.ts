import { table } from '../../../src/kernel/db/build';
import { type TestDatabase, testDatabase } from '../../support/database';

let test: TestDatabase;
beforeAll(async () => {
  test = await testDatabase(1);
  await test.database.query('create table shelf (id int primary key, words text)');
  await test.database.query(`insert into shelf select n, 'book ' || n from generate_series(1, 20) n`);
});
afterAll(() => test.drop());

const book = (id: number) => test.database.run(table('shelf').select('id', 'words').where({ id }));
const whole = (id: number) => test.database.run(table('shelf').select('*').where({ id }));
const keptOf = async (part: string) =>
  (
    await test.database.query('select statement from pg_prepared_statements where statement like $1', [
      `%${part}%`,
    ])
  ).length;

it('plans a frequent statement once per connection', async () => {
  for (let id = 1; id <= 5; id += 1) expect(await book(id)).toEqual([{ id, words: `book ${id}` }]);
  expect(await keptOf('"words" from "shelf" where "id"')).toBe(1);
});

it('plans it once in concurrent transactions and after a failed one', async () => {
  const half = (tx: Parameters<Parameters<typeof test.database.transaction>[0]>[0], id: number) =>
    tx.run(table('shelf').select('words').where({ id }).limit(1));
  const read = await test.database.transaction((tx) => Promise.all([1, 2, 3, 4].map((id) => half(tx, id))));
  expect(read.map(([row]) => row)).toEqual([1, 2, 3, 4].map((id) => ({ words: `book ${id}` })));
  const failed = test.database.transaction(async (tx) => {
    tx.query('select 1 / 0').catch(() => undefined);
    await half(tx, 5);
  });
  await expect(failed).rejects.toThrow();
  expect(await test.database.transaction((tx) => half(tx, 6))).toEqual([{ words: 'book 6' }]);
});

it('prepares no statement that selects all columns, because a migration may add one during a connection', async () => {
  for (let id = 1; id <= 5; id += 1) await whole(id);
  await test.database.query(`alter table shelf add column place text default 'A'`);
  expect(await whole(1)).toEqual([{ id: 1, words: 'book 1', place: 'A' }]);
  expect(await book(1)).toEqual([{ id: 1, words: 'book 1' }]);
});

it('prepares no more statements than a connection should hold', async () => {
  for (let n = 0; n < 450; n += 1)
    for (let turn = 0; turn < 3; turn += 1)
      await test.database.run(
        table('shelf')
          .select('id')
          .where('id', '>', 0)
          .where('words', '<>', 'x')
          .limit(n + 1)
          .orderByRaw(`id + ${n}`),
      );
  expect(await keptOf('shelf')).toBeLessThanOrEqual(400);
  expect(await book(7)).toEqual([{ id: 7, words: 'book 7' }]);
});
