import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { audit } from '../../../src/kernel/audit/audit';
import { verifyAudit } from '../../../src/kernel/audit/log';
import { createDatabase, type Database } from '../../../src/kernel/db/database';
import { migrate, missingMigrations } from '../../../src/kernel/db/migrate';
import { onServer, urlOf } from '../../support/database';
import { until } from '../../support/until';

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

it.each(['withdrawals_not_ordered', 'exchange_orders_waiting'])(
  'leaves the index %s, which the release before goes by while it is rolled out',
  async (index) => expect(await validIndex(index)).toBe(true),
);

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

const OUTSIDE = '0124_while_others_write.sql';

describe('outside of a transaction', () => {
  beforeAll(() => database.query('drop table schema_migrations'));
  beforeEach(() => forget());

  it('holds up no writer while it builds an index', async () => {
    await database.query('drop index breaks_of');
    const earlier = await writer();
    const run = migrate(urlOf(name));
    await until(isBuilding);
    const later = await writer();
    await later.commit();
    expect(await validIndex('breaks_of')).toBe(false);
    await earlier.commit();
    expect(await run).toEqual([OUTSIDE]);
    expect(await validIndex('breaks_of')).toBe(true);
  });

  it('goes on after a run that was killed, and builds anew what it left half built', async () => {
    await database.query('drop index breaks_of, transfers_open');
    const earlier = await writer();
    const run = migrate(urlOf(name)).catch((error: Error) => error.message);
    await until(isBuilding);
    await database.query(
      `select pg_terminate_backend(pid) from pg_stat_progress_create_index where datname = $1`,
      [name],
    );
    expect(await run).toContain('terminat');
    await earlier.commit();
    expect(await validIndex('breaks_of')).toBe(false);
    expect(await missingMigrations(database)).toEqual([OUTSIDE]);
    expect(await migrate(urlOf(name))).toEqual([OUTSIDE]);
    expect([await validIndex('breaks_of'), await validIndex('transfers_open')]).toEqual([true, true]);
  });

  it('waits for an index that a migrator which is gone is still building', async () => {
    await database.query('drop index breaks_of');
    const earlier = await writer();
    const orphan = new Client({ connectionString: urlOf(name) });
    await orphan.connect();
    const built = orphan.query('create index concurrently breaks_of on breaks (subject, created_at)');
    await until(isBuilding);
    const [{ oid } = {}] = await database.query(`select to_regclass('breaks_of')::oid as oid`);
    const run = migrate(urlOf(name));
    await until(() => hasAsked('pg_stat_progress_create_index'));
    await earlier.commit();
    await built;
    expect(await run).toEqual([OUTSIDE]);
    expect(await database.query(`select to_regclass('breaks_of')::oid as oid`)).toEqual([{ oid }]);
    await orphan.end();
  });

  it('chains an old audit log in portions, goes on where it was killed, and leaves out nobody who writes meanwhile', async () => {
    await unchain();
    await database.query(
      `insert into audit_log (actor, action, after) select 'operator', 'old', jsonb_build_object('n', n)
         from generate_series(1, 5000) n`,
    );
    await database.query(`
      create function stumble() returns trigger language plpgsql as $$ begin raise 'killed'; end $$;
      create trigger stumble before insert on audit_chain for each row when (new.number = 2500) execute function stumble()`);
    await expect(migrate(urlOf(name))).rejects.toThrow('killed');
    expect(await database.query('select count(*)::int as chained from audit_chain')).toEqual([
      { chained: 2000 },
    ]);

    await database.query('drop trigger stumble on audit_chain');
    const early = await connected();
    await early.query('begin');
    await early.query(
      `insert into audit_log (actor, action) values ('a', 'has its number, and commits late')`,
    );
    const run = migrate(urlOf(name));
    await until(async () => (await database.query('select from pg_locks where not granted')).length > 0);
    const writing = writeUntil(run);
    await early.query('commit');
    await early.end();
    expect(await run).toEqual([OUTSIDE]);
    const written = await writing;
    expect(await verifyAudit(database)).toMatchObject({ entries: 5001 + written });
    expect((await verifyAudit(database)).broken).toBeUndefined();
    await write('after');
    expect(await verifyAudit(database)).toMatchObject({ entries: 5002 + written });
  });

  it('can be sent once more whole', async () => {
    const { head } = await verifyAudit(database);
    expect(await migrate(urlOf(name))).toEqual([OUTSIDE]);
    expect((await verifyAudit(database, head)).broken).toBeUndefined();
  });
});

it('leaves nothing of a migration that fails, and fails rather than wait for a lock', async () => {
  await database.query(`delete from knex_migrations where name = '0087_operation_keys.sql'`);
  const holder = new Client({ connectionString: urlOf(name) });
  await holder.connect();
  await holder.query('begin');
  await holder.query('lock table deposits');
  await expect(migrate(urlOf(name))).rejects.toThrow(/lock timeout/);
  await holder.end();
  expect(await missingMigrations(database)).toEqual(['0087_operation_keys.sql']);
});

const forget = () => database.query('delete from knex_migrations where name = $1', [OUTSIDE]);

async function connected(): Promise<Client> {
  const client = new Client({ connectionString: urlOf(name) });
  await client.connect();
  return client;
}

/** A transaction that has written a break, and waits at most a second to do so. */
async function writer(): Promise<{ commit(): Promise<void> }> {
  const client = await connected();
  await client.query(`set lock_timeout = '1s'`);
  await client.query('begin');
  await client.query(
    `insert into breaks (id, kind, subject, detail) values ($1::text, 'test', 'test', $1::text)`,
    [randomBytes(6).toString('hex')],
  );
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

/** As it was before there was a chain. */
const unchain = () =>
  database.transaction(async (tx) => {
    await tx.query('drop trigger audit_log_is_chained on audit_log');
    await tx.query('set local session_replication_role = replica');
    await tx.query('delete from audit_chain');
    await tx.query('delete from audit_log');
  });

const write = (subject: string) =>
  database.transaction((tx) =>
    audit(tx, {
      ...{ caller: { tenantId: 'operator:ida', role: 'admin' }, requestId: 'r', action: 'test', subject },
      tenantId: null,
    }),
  );

/** @returns how many entries were written while the work went on */
async function writeUntil(work: Promise<unknown>): Promise<number> {
  let done = false;
  void work.finally(() => {
    done = true;
  });
  let written = 0;
  for (; !done; written += 1) await write(`s${written}`);
  return written;
}
