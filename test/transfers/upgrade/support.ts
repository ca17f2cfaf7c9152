import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { createDatabase, type Database } from '../../../src/kernel/db/database';
import { migrate } from '../../../src/kernel/db/migrate';
import { onServer, urlOf } from '../../support/database';

/**
 * A database of the release before the transfer engine, taken through the migrations since. The rows are that release's own:
 * its engines wrote them, to parties that a test played. A file holds what is known of each case, as one object, then the
 * tables: a line with the columns, then one for each row.
 */
export interface Earlier<Header> {
  /** What the file tells of its cases. */
  header: Header;
  database: Database;
  drop(): Promise<void>;
}

const MIGRATIONS = join(__dirname, '../../../src/kernel/db/migrations');
const LAST_BEFORE = '0092';

export async function upgraded<Header>(file: string): Promise<Earlier<Header>> {
  const [header = '', ...tables] = readFileSync(join(__dirname, file), 'utf8').trim().split('\n{"table":');
  const name = `upgrade_${randomBytes(6).toString('hex')}`;
  await onServer(`create database ${name}`);
  const postgres = new Client({ connectionString: urlOf(name) });
  await postgres.connect();
  const files = readdirSync(MIGRATIONS).sort();
  await postgres.query('create table schema_migrations (name text primary key, at timestamptz not null)');
  for (const migration of files.filter((each) => each.slice(0, 4) <= LAST_BEFORE)) {
    await postgres.query(readFileSync(join(MIGRATIONS, migration), 'utf8'));
    await postgres.query('insert into schema_migrations values ($1, now())', [migration]);
  }
  await load(
    postgres,
    tables.map((table) => tableOf(`{"table":${table}`)),
  );
  await postgres.end();
  await migrate(urlOf(name));
  const database = createDatabase({ url: urlOf(name), poolSize: 8, name });
  return {
    header: JSON.parse(header) as Header,
    database,
    async drop() {
      await database.close();
      await onServer(`drop database ${name} with (force)`);
    },
  };
}

interface Table {
  name: string;
  rows: Record<string, unknown>[];
}

function tableOf(text: string): Table {
  const [head = '', ...lines] = text.split('\n');
  const { table: name, columns } = JSON.parse(head) as { table: string; columns: string[] };
  const rowOf = (line: string) => {
    const values = JSON.parse(line) as unknown[];
    return Object.fromEntries(columns.map((column, index) => [column, values[index]]));
  };
  return { name, rows: lines.map(rowOf) };
}

/** As a copy is restored: no trigger runs, and the sequences stand behind what there is. */
async function load(postgres: Client, tables: readonly Table[]): Promise<void> {
  await postgres.query('set session_replication_role = replica');
  for (const { name, rows } of tables) {
    const { rows: columns } = await postgres.query<{ name: string; identity: string }>(
      `select quote_ident(column_name) as name, is_identity as identity from information_schema.columns
        where table_schema = 'public' and table_name = $1 and is_generated = 'NEVER' order by ordinal_position`,
      [name],
    );
    const names = columns.map((column) => column.name).join(', ');
    await postgres.query(
      `insert into ${name} (${names}) overriding system value
       select ${names} from json_populate_recordset(null::${name}, $1) on conflict do nothing`,
      [JSON.stringify(rows)],
    );
    for (const column of columns.filter(({ identity }) => identity === 'YES'))
      await postgres.query(
        `select setval(pg_get_serial_sequence($1, $2), (select max(${column.name}) from ${name}))`,
        [name, column.name],
      );
  }
  await postgres.query(`select setval('ledger_postings', (select max(posting_id) + 1000 from ledger_legs))`);
  await postgres.query('set session_replication_role = default');
}
