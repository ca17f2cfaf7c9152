import { KEY_PURPOSES } from '../../../src/kernel/security/purposes';
import {
  HASHED,
  KEYLESS,
  renewalOf,
  type SealedPlace,
  USER_SEALED,
} from '../../../src/kernel/security/sealed-columns';
import { type TestDatabase, testDatabase } from '../../support/database';

let test: TestDatabase;
beforeAll(async () => {
  test = await testDatabase();
});
afterAll(() => test.drop());

const places = KEY_PURPOSES.flatMap((purpose): readonly SealedPlace[] => {
  const renewal = renewalOf(purpose);
  return renewal.way === 'resealed' ? renewal.places : [];
});
const rehashed = HASHED.filter(({ purpose }) => renewalOf(purpose).way === 'rehashed');
const columnsOf = (type: string) =>
  test.database.query<{ name: string }>(
    `select table_name || '.' || column_name as name from information_schema.columns
      where table_schema = 'public' and data_type = $1 order by 1`,
    [type],
  );

it('names every column of bytes of the schema, and no other', async () => {
  const stated = [
    ...places.filter(({ path }) => !path).map(({ table, column }) => `${table}.${column}`),
    ...USER_SEALED.map(({ table, column }) => `${table}.${column}`),
    ...HASHED.filter(({ bytes }) => !bytes).map(({ table, column }) => `${table}.${column}`),
    ...Object.keys(KEYLESS),
  ];
  // A column may hold values of users, and values of the installation.
  expect([...new Set(stated)].sort()).toEqual((await columnsOf('bytea')).map(({ name }) => name));
});

it('finds a column that a new table has and the file does not', async () => {
  await test.database.query('create table forgotten (id text primary key, sealed bytea)');
  const names = (await columnsOf('bytea')).map(({ name }) => name);
  await test.database.query('drop table forgotten');
  expect(names).toContain('forgotten.sealed');
});

it('names values within JSON by columns that exist', async () => {
  const json = (await columnsOf('jsonb')).map(({ name }) => name);
  const within = places.filter(({ path }) => path).map(({ table, column }) => `${table}.${column}`);
  expect(within.length).toBeGreaterThan(2);
  for (const name of within) expect(json).toContain(name);
});

it.each([...places, ...rehashed].map((place) => [`${place.table}.${place.column}`, place] as const))(
  'reads %s by its primary key',
  async (_, { table, key }) => {
    const rows = await test.database.query<{ columns: string }>(
      `select string_agg(a.attname, ',') as columns from pg_index i
         join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
        where i.indrelid = $1::regclass and i.indisprimary`,
      [table],
    );
    expect(rows).toEqual([{ columns: key }]);
  },
);
