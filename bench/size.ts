import type { Database } from '../src/kernel/db/database';
import { targetsOf } from './cards';
import { openServices, spreadTenants } from './fixtures';
import { openBench, runLoad, startCardApi } from './servers';

const SECONDS = 10;
const CONNECTIONS = 20;
/** Tables whose rows are deleted after a time: keys after a day, events after 90. */
const DELETED = ['idempotency_keys', 'events'];

/**
 * Measures the bytes that an authorization writes, by table and index, and its bytes of WAL. `kept` leaves out the
 * tables in {@link DELETED}.
 */
export async function benchSize(): Promise<void> {
  const bench = await openBench();
  try {
    const services = await openServices(bench);
    const { database } = services;
    const tenants = await spreadTenants(services);
    const api = await startCardApi(bench);
    const load = (seconds: number) =>
      runLoad({
        port: api.port,
        connections: CONNECTIONS,
        targets: targetsOf(tenants),
        path: '/sandbox/transactions',
        seconds,
        warmUp: 0,
      });
    // The first rows fill pages that exist already, and the first change of a page writes it whole.
    await load(3);
    const before = await stateOf(database);
    await load(SECONDS);
    const after = await stateOf(database);
    await api.stop();
    await database.close();
    print(before, after);
  } finally {
    await bench.close();
  }
}

interface State {
  sizes: Map<string, { table: string; bytes: number }>;
  wal: { bytes: number; records: number; pages: number };
  count: number;
}

async function stateOf(database: Database): Promise<State> {
  const sizes = await database.query<{ table: string; name: string; bytes: string }>(
    `select t.relname as table, c.relname as name, pg_relation_size(c.oid) as bytes
       from pg_class t left join pg_index i on i.indrelid = t.oid join pg_class c on c.oid in (t.oid, i.indexrelid)
      where t.relkind = 'r' and t.relnamespace = 'public'::regnamespace group by 1, 2, 3`,
  );
  const [wal] = await database.query<{ bytes: string; records: string; pages: string }>(
    'select wal_bytes as bytes, wal_records as records, wal_fpi as pages from pg_stat_wal',
  );
  const [row] = await database.query<{ count: string }>('select count(*) from card_transactions');
  return {
    sizes: new Map(sizes.map(({ table, name, bytes }) => [name, { table, bytes: Number(bytes) }])),
    wal: { bytes: Number(wal?.bytes), records: Number(wal?.records), pages: Number(wal?.pages) },
    count: Number(row?.count),
  };
}

function print(before: State, after: State): void {
  const count = after.count - before.count;
  const grown = [...after.sizes]
    .map(([name, { table, bytes }]) => ({
      table,
      name,
      bytes: Math.round((bytes - (before.sizes.get(name)?.bytes ?? 0)) / count),
    }))
    .filter(({ bytes }) => bytes > 0)
    .sort((a, b) => a.table.localeCompare(b.table) || b.bytes - a.bytes);
  console.table(grown);
  const sum = (rows: typeof grown) => rows.reduce((total, { bytes }) => total + bytes, 0);
  console.log(
    JSON.stringify({
      authorizations: count,
      written: sum(grown),
      kept: sum(grown.filter(({ table }) => !DELETED.includes(table))),
      walBytes: Math.round((after.wal.bytes - before.wal.bytes) / count),
      walRecords: Number(((after.wal.records - before.wal.records) / count).toFixed(1)),
      walWholePages: Number(((after.wal.pages - before.wal.pages) / count).toFixed(3)),
    }),
  );
}
