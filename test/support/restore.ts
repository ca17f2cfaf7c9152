import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { createDatabase } from '../../src/kernel/db/database';
import { migrate } from '../../src/kernel/db/migrate';
import { giveRights } from '../../src/kernel/db/roles';
import { runtimeUrl } from '../../src/startup/embedded/postgres/connection';
import type { TestDatabase } from './database';

/**
 * Copies a database like a logical backup (pg_dump, then pg_restore): schema, every row as text, and the position of
 * each sequence. Physical values, such as transaction ids and object ids, belong to the target server.
 * @param server address of any database of the target server
 * @param from address of the source database
 */
export async function restoredOn(server: string, from: string): Promise<TestDatabase> {
  const name = `restored_${randomBytes(6).toString('hex')}`;
  await onDatabase(server, (client) => client.query(`create database ${name}`));
  const url = new URL(server);
  url.pathname = `/${name}`;
  await migrate(url.toString());
  const asRuntime = runtimeUrl(url.toString());
  await giveRights({ owner: url.toString(), runtime: asRuntime, sandbox: true });
  await onDatabase(from, (dumped) => onDatabase(url.toString(), (into) => copyAll(dumped, into)));
  const database = createDatabase({ url: url.toString(), poolSize: 24, name });
  const runtime = createDatabase({ url: asRuntime, poolSize: 24, name });
  return {
    database,
    runtime,
    url: url.toString(),
    runtimeUrl: asRuntime,
    async drop() {
      await Promise.all([database.close(), runtime.close()]);
      await onDatabase(server, (client) => client.query(`drop database ${name} with (force)`));
    },
  };
}

async function copyAll(dumped: Client, into: Client): Promise<void> {
  await dumped.query('begin isolation level repeatable read, read only');
  await into.query('begin');
  await into.query('set local session_replication_role = replica');
  // Postgres computes generated columns itself and rejects values for them.
  const tables = await dumped.query<{ name: string; columns: string }>(
    `select c.oid::regclass::text as name, string_agg(format('%I', a.attname), ', ' order by a.attnum) as columns
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and a.attgenerated = ''
      group by c.oid`,
  );
  await into.query(`truncate ${tables.rows.map(({ name }) => name).join(', ')} cascade`);
  for (const { name, columns } of tables.rows) {
    const { rows } = await dumped.query<{ row: string }>(`select t::text as row from ${name} t`);
    await into.query(
      `insert into ${name} (${columns}) overriding system value
       select ${columns} from (select (r::${name}).* from unnest($1::text[]) r) rows`,
      [rows.map(({ row }) => row)],
    );
  }
  const sequences = await dumped.query<{ name: string; value: string }>(
    `select format('%I.%I', schemaname, sequencename) as name, last_value as value from pg_sequences
      where last_value is not null`,
  );
  for (const { name, value } of sequences.rows) await into.query('select setval($1, $2)', [name, value]);
  await into.query('commit');
}

/** Uses up transaction ids, as years of work do. */
export const useUpTransactionIds = (url: string, count: number): Promise<unknown> =>
  onDatabase(url, (client) =>
    client.query(
      `do $$ begin for n in 1 .. ${count} loop perform pg_current_xact_id(); commit; end loop; end $$`,
    ),
  );

async function onDatabase<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
