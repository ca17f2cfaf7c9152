import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { createDatabase, type Database } from '../../../src/kernel/db/database';
import { migrate, missingMigrations } from '../../../src/kernel/db/migrate';
import { onServer, urlOf } from '../../support/database';

const name = `migrate_${randomBytes(6).toString('hex')}`;
let database: Database;
beforeAll(async () => {
  await onServer(`create database ${name}`);
  database = createDatabase({ url: urlOf(name), poolSize: 2, name });
});
afterAll(async () => {
  await database.close();
  await onServer(`drop database ${name} with (force)`);
});

it('applies each migration once, however many migrators start together', async () => {
  expect((await missingMigrations(database))[0]).toBe('0001_ledger.sql');
  const runs = await Promise.all([1, 2, 3].map(() => migrate(urlOf(name))));
  expect(runs.filter((applied) => applied.length > 0)).toHaveLength(1);
  expect(await missingMigrations(database)).toEqual([]);
  expect(await migrate(urlOf(name))).toEqual([]);
});

it('goes on after a migrator that was killed while it held the lock', async () => {
  await database.query('update knex_migrations_lock set is_locked = 1');
  expect(await migrate(urlOf(name))).toEqual([]);
});

it('takes over what the first migrator has applied', async () => {
  await database.query(
    `create table schema_migrations as select name, migration_time as at from knex_migrations`,
  );
  await database.query('drop table knex_migrations, knex_migrations_lock');
  expect(await migrate(urlOf(name))).toEqual([]);
  expect(await missingMigrations(database)).toEqual([]);
});

it('leaves nothing of a migration that fails, and fails rather than wait for a lock', async () => {
  await database.query('drop table schema_migrations');
  await database.query(`delete from knex_migrations where name = '0087_operation_keys.sql'`);
  const holder = new Client({ connectionString: urlOf(name) });
  await holder.connect();
  await holder.query('begin');
  await holder.query('lock table deposits');
  await expect(migrate(urlOf(name))).rejects.toThrow(/lock timeout/);
  await holder.end();
  expect(await missingMigrations(database)).toEqual(['0087_operation_keys.sql']);
});
