import { type TestApi, testApi } from '../../support/api';

let api: TestApi;
beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());

/** All columns of our tables with a default of their own. */
const DEFAULTS = `
  select c.relname as "table", a.attname as "column", pg_get_expr(d.adbin, d.adrelid) as "default"
    from pg_attrdef d
    join pg_class c on c.oid = d.adrelid and c.relkind in ('r', 'p')
    join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'
    join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum and a.attgenerated = ''`;

interface Default {
  table: string;
  column: string;
  default: string;
}

/** Functions of Postgres that return another time at each call. */
const READS_THE_CLOCK = /clock_timestamp|timeofday|statement_timestamp|product_now\(\)/;

it('creates no row with two readings of the clock, because a table has at most one default that reads it', async () => {
  const defaults = await api.database.query<Default>(DEFAULTS);
  expect(defaults.length).toBeGreaterThan(50);
  const readings = defaults.filter((each) => READS_THE_CLOCK.test(each.default));
  const tables = readings.map(({ table }) => table);
  expect(tables.filter((table, index) => tables.indexOf(table) !== index)).toEqual([]);
});

it('stamps a new row with equal times of creation and change', async () => {
  const defaults = await api.database.query<Default>(DEFAULTS);
  const of = (column: string) =>
    new Map(defaults.filter((each) => each.column === column).map((each) => [each.table, each.default]));
  const [created, updated] = [of('created_at'), of('updated_at')];
  const both = [...created.keys()].filter((table) => updated.has(table));
  expect(both).toEqual(expect.arrayContaining(['users', 'cards', 'accounts', 'tenants']));
  for (const table of both) expect([table, created.get(table)]).toEqual([table, updated.get(table)]);
  await api.client();
  const [apart] = await api.database.query<{ count: string }>(
    'select count(*) from tenants where created_at <> updated_at',
  );
  expect(apart?.count).toBe('0');
});
