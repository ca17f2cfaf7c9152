/** @long */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { createDatabase, type Database } from '../../../src/kernel/db/database';
import { laterMigrations, migrate, missingMigrations } from '../../../src/kernel/db/migrate';
import { StartupError } from '../../../src/kernel/startup-error';
import { onServer, urlOf } from '../../support/database';
import { until } from '../../support/until';

const opened: { name: string; database: Database }[] = [];
afterAll(async () => {
  for (const { name, database } of opened) {
    await database.close();
    await onServer(`drop database ${name} with (force)`);
  }
});

async function emptyDatabase(): Promise<{ name: string; database: Database }> {
  const name = `migrate_${randomBytes(6).toString('hex')}`;
  await onServer(`create database ${name}`);
  const made = { name, database: createDatabase({ url: urlOf(name), poolSize: 2, name }) };
  opened.push(made);
  return made;
}

describe('the product’s schema', () => {
  let name: string;
  let database: Database;
  beforeAll(async () => {
    ({ name, database } = await emptyDatabase());
  });

  it('is applied once when many migrators start together', async () => {
    expect((await missingMigrations(database))[0]).toBe('0001_kernel.sql');
    const runs = await Promise.all([1, 2, 3].map(() => migrate(urlOf(name))));
    expect(runs.filter((applied) => applied.length > 0)).toHaveLength(1);
    expect(await missingMigrations(database)).toEqual([]);
    expect(await migrate(urlOf(name))).toEqual([]);
  });

  it('is applied after a migrator was killed while it held the lock', async () => {
    await database.query('update knex_migrations_lock set is_locked = 1');
    expect(await migrate(urlOf(name))).toEqual([]);
  });

  it('of a later release is left as it is', async () => {
    await database.query("insert into knex_migrations (name, batch) values ('9000_later.sql', 99)");
    expect(await migrate(urlOf(name))).toEqual([]);
    expect(await missingMigrations(database)).toEqual([]);
    expect(await laterMigrations(database)).toEqual(['9000_later.sql']);
  });
});

it('refuses a database of a release before 1.0.0 and leaves it as it is', async () => {
  const { name, database } = await emptyDatabase();
  await database.query(
    `create table knex_migrations (id serial primary key, name text, batch int, migration_time timestamptz)`,
  );
  await database.query(
    `insert into knex_migrations (name, batch) values ('0001_ledger.sql', 1), ('0002_requests.sql', 2)`,
  );
  const state = () =>
    Promise.all([
      database.query(
        `select relname, relkind from pg_class where relnamespace = 'public'::regnamespace order by 1`,
      ),
      database.query('select * from knex_migrations order by id'),
    ]);
  const before = await state();
  const refusal = await migrate(urlOf(name)).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(StartupError);
  expect((refusal as Error).message).toMatch(/^This database was made by a release before 1\.0\.0, [^.]*\.$/);
  expect(await state()).toEqual(before);
});

const OUTSIDE = '0002_while_others_write.sql';
const FILES = {
  '0001_notes.sql': 'create table notes (id text primary key, subject text, at timestamptz);',
  [OUTSIDE]: `-- outside a transaction

-- A comment; with a semicolon.
create index concurrently if not exists notes_of on notes (subject, at);
do $$ begin perform 1; end $$;
create index concurrently if not exists notes_by_time on notes (at);
`,
};

describe('a migration outside of a transaction', () => {
  let name: string;
  let database: Database;
  let folder: string;
  const run = () => migrate(urlOf(name), folder);
  beforeAll(async () => {
    ({ name, database } = await emptyDatabase());
    folder = mkdtempSync(join(tmpdir(), 'cardwright-migrations-'));
    for (const [file, text] of Object.entries(FILES)) writeFileSync(join(folder, file), text);
    expect(await run()).toEqual(Object.keys(FILES));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  beforeEach(() => database.query('delete from knex_migrations where name = $1', [OUTSIDE]));

  it('blocks no writer while it builds an index', async () => {
    await database.query('drop index notes_of');
    const earlier = await writer();
    const running = run();
    await until(isBuilding);
    const later = await writer();
    await later.commit();
    expect(await validIndex('notes_of')).toBe(false);
    await earlier.commit();
    expect(await running).toEqual([OUTSIDE]);
    expect(await validIndex('notes_of')).toBe(true);
  });

  it('continues after a killed run and rebuilds the half-built index', async () => {
    await database.query('drop index notes_of, notes_by_time');
    const earlier = await writer();
    const killed = run().catch((error: Error) => error.message);
    await until(isBuilding);
    await database.query(
      `select pg_terminate_backend(pid) from pg_stat_progress_create_index where datname = $1`,
      [name],
    );
    expect(await killed).toContain('terminat');
    await earlier.commit();
    expect(await validIndex('notes_of')).toBe(false);
    expect(await missingMigrations(database, folder)).toEqual([OUTSIDE]);
    expect(await run()).toEqual([OUTSIDE]);
    expect([await validIndex('notes_of'), await validIndex('notes_by_time')]).toEqual([true, true]);
  });

  it('waits for an index that the statement of a dead migrator still builds', async () => {
    await database.query('drop index notes_of');
    const earlier = await writer();
    const orphan = await connected();
    const built = orphan.query('create index concurrently notes_of on notes (subject, at)');
    await until(isBuilding);
    const [{ oid } = {}] = await database.query(`select to_regclass('notes_of')::oid as oid`);
    const running = run();
    await until(() => hasAsked('pg_stat_progress_create_index'));
    await earlier.commit();
    await built;
    expect(await running).toEqual([OUTSIDE]);
    expect(await database.query(`select to_regclass('notes_of')::oid as oid`)).toEqual([{ oid }]);
    await orphan.end();
  });

  it('can be sent again as a whole', async () => {
    expect(await run()).toEqual([OUTSIDE]);
  });

  it('is followed by a file in a transaction, which fails instead of waiting for a lock and leaves nothing', async () => {
    expect(await run()).toEqual([OUTSIDE]);
    const failing = '0003_more.sql';
    writeFileSync(
      join(folder, failing),
      'create table more (id int);\nalter table notes add column more text;',
    );
    const holder = await connected();
    await holder.query('begin');
    await holder.query('lock table notes');
    await expect(run()).rejects.toThrow(/lock timeout/);
    await holder.end();
    expect(await missingMigrations(database, folder)).toEqual([failing]);
    expect(await database.query(`select to_regclass('more') as made`)).toEqual([{ made: null }]);
  });

  async function connected(): Promise<Client> {
    const client = new Client({ connectionString: urlOf(name) });
    await client.connect();
    return client;
  }

  /** A transaction that has written a note after waiting at most a second. */
  async function writer(): Promise<{ commit(): Promise<void> }> {
    const client = await connected();
    await client.query(`set lock_timeout = '1s'`);
    await client.query('begin');
    await client.query('insert into notes (id) values ($1)', [randomBytes(6).toString('hex')]);
    return {
      async commit() {
        await client.query('commit');
        await client.end();
      },
    };
  }

  const isBuilding = async () =>
    (
      await database.query(
        `select from pg_stat_progress_create_index where datname = $1 and phase like 'waiting for writers%'`,
        [name],
      )
    ).length > 0;

  const hasAsked = async (what: string) =>
    (
      await database.query(
        `select from pg_stat_activity where datname = $1 and pid <> pg_backend_pid() and state = 'idle' and query like $2`,
        [name, `%${what}%`],
      )
    ).length > 0;

  async function validIndex(index: string): Promise<boolean | undefined> {
    const [row] = await database.query<{ valid: boolean }>(
      'select indisvalid as valid from pg_index where indexrelid = to_regclass($1)',
      [index],
    );
    return row?.valid;
  }
});
