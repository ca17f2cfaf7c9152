import { randomBytes } from 'node:crypto';
import pino from 'pino';
import { createDatabase, type Database } from '../../../src/kernel/db/database';
import { migrate } from '../../../src/kernel/db/migrate';
import { FUNCTIONS, SANDBOX_FUNCTIONS, TABLES } from '../../../src/kernel/db/rights';
import {
  differenceOfRights,
  type GivenRights,
  giveRights,
  loginStatements,
} from '../../../src/kernel/db/roles';
import { roleSettings } from '../../../src/kernel/db/session-settings';
import { runtimeUrl } from '../../../src/startup/embedded/postgres/connection';
import { awaitRights } from '../../../src/startup/schema';
import { createStages } from '../../../src/startup/stages';
import { onServer, type TestDatabase, testDatabase, urlOf } from '../../support/database';

const log = pino({ level: 'silent' });

let test: TestDatabase;
beforeAll(async () => {
  test = await testDatabase(4);
});
afterAll(() => test.drop());

const withUser = (url: string, user: string, password: string): string =>
  Object.assign(new URL(url), { username: user, password }).toString();

async function asUser<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = createDatabase({ url, poolSize: 1, name: 'test' });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** Columns of the schema. */
const columns = () =>
  test.database.query<{ table: string; column: string; type: string }>(
    `select c.relname as table, a.attname as column, format_type(a.atttypid, null) as type
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relkind in ('r', 'p', 'v', 'm') and c.relnamespace = 'public'::regnamespace`,
  );

it('states the rights to every table of the schema, and to no other', async () => {
  const tables = new Set((await columns()).map(({ table }) => table));
  expect(Object.keys(TABLES).sort()).toEqual([...tables].sort());
});

it('names only columns that exist', async () => {
  const known = new Set((await columns()).map(({ table, column }) => `${table}.${column}`));
  for (const [table, { fixed = [], hidden = [] }] of Object.entries(TABLES))
    for (const column of [...fixed, ...(hidden === 'all' ? [] : hidden)])
      expect(known).toContain(`${table}.${column}`);
});

/** Columns that look like a secret and are none. */
const OPEN = new Set([
  ...['audit_chain.previous', 'audit_chain.hash', 'audit_heads.hash', 'forged_callbacks.last_hash'],
  ...['kyc_documents.sha256', 'cardholder_files.sha256'],
  ...['ledger_checkpoints.file_hash', 'ledger_checkpoints.kept_hash'],
  ...[
    'events.idempotency_key',
    'transfers.idempotency_key',
    'cards.idempotency_key',
    'cardholders.idempotency_key',
  ],
  ...['account_exchanges.idempotency_key', 'card_operations.idempotency_key', 'kyc_reviews.idempotency_key'],
  ...['chain_blocks.hash', 'chain_nonces.hash', 'gas_operations.token', 'unlisted_tokens.token'],
  ...['unlisted_rests.token', 'unlisted_rests.tx_hash'],
  'token_recoveries.token',
  ...['screenings.key', 'screening_results.key', 'bank_orders.key', 'bank_order_returns.order_key'],
  ...[
    'unlisted_tokens.block_hash',
    'station_topups.block_hash',
    'unlisted_tokens.tx_hash',
    'gas_operations.tx_hash',
  ],
  'station_topups.tx_hash',
  'sandbox_exchange_movements.key',
  ...['installation_keys.sealed_by', 'installation_keys.sealed_at'],
]);

it('hides every column from the reader that is sealed, hashed or named as a secret', async () => {
  const looksSecret = ({ column, type }: { column: string; type: string }) =>
    type === 'bytea' ||
    /secret|sealed|password|token|hash|(^|_)key$|meta|email|destination|remitter/.test(column);
  const shown = (await columns())
    .filter(looksSecret)
    .filter(({ table, column }) => {
      const hidden = TABLES[table]?.hidden ?? [];
      return hidden !== 'all' && !hidden.includes(column);
    })
    .map(({ table, column }) => `${table}.${column}`);
  expect(shown.filter((each) => !OPEN.has(each))).toEqual([]);
});

it('states every function with the rights of the owner, each with a fixed search path', async () => {
  const found = await test.database.query<{
    name: string;
    trigger: boolean;
    config: string[] | null;
    open: boolean;
  }>(
    `select p.proname as name, p.prorettype = 'trigger'::regtype as trigger, p.proconfig as config,
            coalesce(exists (select from aclexplode(p.proacl) a where a.grantee = 0), true) as open
       from pg_proc p where p.pronamespace = 'public'::regnamespace and p.prosecdef`,
  );
  for (const { name, config } of found)
    expect([name, config]).toEqual([name, expect.arrayContaining(['search_path=public, pg_temp'])]);
  const callable = found.filter(({ trigger }) => !trigger);
  expect(callable.filter(({ open }) => open)).toEqual([]);
  const stated = [...FUNCTIONS, ...SANDBOX_FUNCTIONS].map((text) => text.replace(/\(.*/, ''));
  expect(callable.map(({ name }) => name).sort()).toEqual(stated.sort());
});

describe('rights to a database of its own', () => {
  const name = `rights_${randomBytes(6).toString('hex')}`;
  const role = (kind: string) => `${name}_${kind}`;
  const given = (): GivenRights => ({
    owner: urlOf(name),
    runtime: withUser(urlOf(name), role('runtime'), 'a%20password%27'),
    reader: withUser(urlOf(name), role('reader'), 'hush'),
    sandbox: false,
  });
  beforeAll(async () => {
    await onServer(`create database ${name}`);
    await migrate(urlOf(name));
  });
  afterAll(async () => {
    await onServer(`drop database ${name} with (force)`);
    for (const kind of ['runtime', 'reader', 'plain']) await onServer(`drop role if exists ${role(kind)}`);
  });

  it('are given, are exactly what is stated, and are the same when given again', async () => {
    await giveRights(given());
    await giveRights(given());
    await asUser(given().runtime, async (database) => {
      expect(await differenceOfRights(database, false)).toEqual({ missing: [], excess: [] });
      await awaitRights(database, 'live', log, createStages(log));
    });
    await asUser(given().reader ?? '', async (database) => {
      expect(await database.query('select count(*) from ledger_legs')).toEqual([{ count: '0' }]);
      expect((await differenceOfRights(database, false)).missing).toContain('insert audit_log');
    });
  });

  it('are taken back where a release gives fewer', async () => {
    await asUser(urlOf(name), (owner) =>
      owner.query(`grant update (actor), truncate on audit_log to ${role('runtime')}`),
    );
    await asUser(given().runtime, async (database) => {
      expect((await differenceOfRights(database, false)).excess.sort()).toEqual([
        'truncate audit_log',
        'update audit_log',
      ]);
      await expect(awaitRights(database, 'live', log, createStages(log))).rejects.toThrow(
        /^DATABASE_URL: its user may do more than the product needs \((truncate|update) audit_log/,
      );
      await awaitRights(database, 'sandbox', log, createStages(log));
      await giveRights(given());
      expect(await differenceOfRights(database, false)).toEqual({ missing: [], excess: [] });
    });
  });

  it('of the owner are refused in live mode', async () => {
    await asUser(urlOf(name), async (database) => {
      await expect(awaitRights(database, 'live', log, createStages(log))).rejects.toThrow(
        'DATABASE_OWNER_URL',
      );
      await awaitRights(database, 'sandbox', log, createStages(log));
    });
  });

  it('are waited for while --role migrate has not given them', async () => {
    const plain = withUser(urlOf(name), role('plain'), 'hush');
    await onServer(`create role ${role('plain')} login password 'hush'`);
    await asUser(plain, async (database) => {
      const stages = createStages(log);
      let over = false;
      const waiting = awaitRights(database, 'live', log, stages).then(() => (over = true));
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(over).toBe(false);
      await giveRights({ ...given(), runtime: plain });
      await waiting;
    });
    await asUser(urlOf(name), (owner) => owner.query(`drop owned by ${role('plain')}`));
  });

  it('are left as they are on the schema of a later release, and are enough for this one', async () => {
    await asUser(urlOf(name), async (owner) => {
      await owner.query('alter table audit_log add column later text');
      await owner.query('alter table tenants add column later text');
      await owner.query(`grant insert (later) on audit_log to ${role('runtime')}`);
      await owner.query("insert into knex_migrations (name, batch) values ('9000_later.sql', 99)");
    });
    await giveRights(given());
    await asUser(given().runtime, async (database) => {
      expect(
        await database.query(`select has_column_privilege('audit_log', 'later', 'insert') as kept`),
      ).toEqual([{ kept: true }]);
      await awaitRights(database, 'live', log, createStages(log));
    });
    await asUser(urlOf(name), async (owner) => {
      await expect(awaitRights(owner, 'live', log, createStages(log))).rejects.toThrow('DATABASE_OWNER_URL');
      await owner.query("delete from knex_migrations where name = '9000_later.sql'");
      await owner.query('alter table audit_log drop column later');
      await owner.query('alter table tenants drop column later');
    });
  });

  it('of an owner who may not create roles end with the statements for an administrator', async () => {
    const owner = withUser(urlOf(name), role('plain'), 'hush');
    const another = withUser(urlOf(name), role('another'), 'not shown');
    const error = await giveRights({ owner, runtime: another, sandbox: true }).catch((each: Error) => each);
    expect(String(error)).toMatch(
      /DATABASE_OWNER_URL: its user may not create the role .*SCRAM-SHA-256\$4096:/s,
    );
    expect(String(error)).not.toContain('not shown');
    expect(loginStatements(given())).toEqual([
      expect.stringContaining(`create role "${role('runtime')}" login password 'SCRAM-SHA-256$`),
      expect.stringContaining(`create role "${role('reader')}"`),
      ...roleSettings(role('runtime'), name),
      `revoke temporary on database "${name}" from public`,
    ]);
  });
});

it('are left alone with one role only', async () => {
  await giveRights({ owner: test.url, runtime: test.url, sandbox: true });
  expect((await differenceOfRights(test.runtime, true)).missing).toEqual([]);
  expect(runtimeUrl(test.url)).toBe(test.runtimeUrl);
});
