import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Knex, knex } from 'knex';
import { StartupError } from '../startup-error';
import { type Connection, lenderOf, SILENT } from './connections';
import type { Sql } from './database';

const MIGRATED = 'knex_migrations';
const FOLDER = join(__dirname, 'migrations');
/** Advisory lock that admits one migrator at a time. Postgres releases it when the connection ends. */
const LOCK = 7_204_113;
/**
 * Lock timeout of a statement. A statement that waits for a table blocks all later statements on the table, so the
 * migration fails instead.
 */
const LOCK_TIMEOUT = '5s';
/** Interval between two checks of an index that another connection builds. */
const BUILDING_MS = 500;
/** First line of a file whose statements are sent one by one, and again after a run that was killed. */
const OUTSIDE = '-- outside a transaction\n';

/**
 * Migrates the database to the newest schema. The numbered SQL files lead forward only. Each runs in its own
 * transaction, unless its first line is {@link OUTSIDE}. A schema of a later release stays as it is.
 * @param folder of the SQL files; tests use folders of their own
 * @returns names of the files that were applied
 * @throws StartupError for a database of another baseline, which stays unchanged
 */
export async function migrate(url: string, folder = FOLDER): Promise<string[]> {
  const db = knex({ client: 'pg', connection: url, pool: { min: 0, max: 2 }, log: SILENT });
  const lock = await lenderOf(db).acquireConnection();
  try {
    await lockOut(lock);
    await refuseOtherBaseline(lock, folder);
    const migrator = migratorOf(folder);
    // A killed migrator leaves Knex's lock row behind. The advisory lock proves that no other migrator runs.
    await db.migrate.forceFreeMigrationsLock(migrator);
    return await applyAll(db, migrator);
  } finally {
    await lenderOf(db).releaseConnection(lock);
    await db.destroy();
  }
}

/** Polls for the lock. A statement that waits for it would hold a snapshot, for which a concurrent index would wait. */
async function lockOut(connection: Connection): Promise<void> {
  for (;;) {
    const { rows } = await connection.query<{ got: boolean }>('select pg_try_advisory_lock($1) as got', [
      LOCK,
    ]);
    if (rows[0]?.got) return;
    await sleep(200);
  }
}

/** A database with a different first migration was created before 1.0.0. */
async function refuseOtherBaseline(connection: Connection, folder: string): Promise<void> {
  const { rows } = await connection.query<{ there: boolean }>(
    `select to_regclass('${MIGRATED}') is not null as there`,
  );
  if (!rows[0]?.there) return;
  const first = await connection.query<{ name: string }>(`select name from ${MIGRATED} order by id limit 1`);
  const name = first.rows[0]?.name;
  if (name !== undefined && name !== migrationNames(folder)[0])
    throw new StartupError(
      'This database was made by a release before 1.0.0, which this release does not read: use an empty database.',
    );
}

/**
 * Applies one file per call, because Knex would otherwise apply all files in one transaction and hold every lock to its
 * end.
 */
async function applyAll(db: Knex, migrator: Knex.MigratorConfig): Promise<string[]> {
  const applied: string[] = [];
  for (;;) {
    const [, [name]] = (await db.migrate.up(migrator)) as [number, string[]];
    if (name === undefined) return applied;
    applied.push(name);
  }
}

/** Migrations of this release that the database lacks. */
export async function missingMigrations(sql: Sql, folder = FOLDER): Promise<string[]> {
  const [made] = await sql.query<{ there: boolean }>(
    `select to_regclass('${MIGRATED}') is not null as there`,
  );
  if (!made?.there) return migrationNames(folder);
  const done = await sql.query<{ name: string }>(`select name from ${MIGRATED}`);
  const names = new Set(done.map(({ name }) => name));
  return migrationNames(folder).filter((name) => !names.has(name));
}

/** Migrations that the database has and that this release does not know, because a later release has brought them. */
export async function laterMigrations(sql: Pick<Sql, 'query'>): Promise<string[]> {
  const known = new Set(migrationNames(FOLDER));
  const done = await sql.query<{ name: string }>(`select name from ${MIGRATED} order by id`);
  return done.flatMap(({ name }) => (known.has(name) ? [] : [name]));
}

/** Names of all migrations, oldest first. */
function migrationNames(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort();
}

const migratorOf = (folder: string): Knex.MigratorConfig => ({
  tableName: MIGRATED,
  // After a way back, the schema has migrations of a later release. They are no fault.
  disableMigrationsListValidation: true,
  migrationSource: {
    getMigrations: async () => migrationNames(folder),
    getMigrationName: (name: string) => name,
    getMigration: async (name: string) => migrationOf(readFileSync(join(folder, name), 'utf8')),
  },
});

function migrationOf(text: string): Knex.Migration & { config: { transaction: boolean } } {
  const outside = text.startsWith(OUTSIDE);
  return {
    config: { transaction: !outside },
    up: (db) => (outside ? applyOutside(db, text) : apply(db, text)),
    down: refuse,
  };
}

async function apply(tx: Knex, text: string): Promise<void> {
  const connection = await lenderOf(tx).acquireConnection(); // the connection of the transaction
  await connection.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
  // Bypasses Knex, which would take each `?` of the text for a binding.
  await connection.query(text);
}

async function applyOutside(db: Knex, text: string): Promise<void> {
  const connection = await lenderOf(db).acquireConnection();
  try {
    for (const statement of statementsOf(text)) {
      const index = /^create (?:unique )?index concurrently if not exists (\w+)/m.exec(statement)?.[1];
      // A concurrent index waits for all earlier transactions and blocks none.
      await connection.query(`set lock_timeout = '${index === undefined ? LOCK_TIMEOUT : 0}'`);
      if (index !== undefined) await dropHalfBuilt(connection, index);
      await connection.query(statement);
    }
  } finally {
    await lenderOf(db).releaseConnection(connection);
  }
}

/** Splits at semicolons outside of comments, function bodies and string literals. */
const statementsOf = (text: string): string[] =>
  text.match(/(?:--.*(?:\n|$)|\$\$[^]*?\$\$|'[^']*'|[^;'$-]|-(?!-)|\$(?!\$))+(?:;|$)/g) ?? [];

/** Drops an index that a killed migrator left half built. Such an index serves no reader and slows every writer. */
async function dropHalfBuilt(connection: Connection, index: string): Promise<void> {
  for (let looks = 0; looks < 2; looks += 1) {
    const { rows } = await connection.query<{ valid: boolean; building: boolean }>(
      `select i.indisvalid as valid,
              exists (select from pg_stat_progress_create_index p where p.index_relid = i.indexrelid) as building
         from pg_index i where i.indexrelid = to_regclass($1)`,
      [index],
    );
    const [found] = rows;
    if (!found || found.valid) return;
    // Postgres may still run the statement of a killed migrator. After it ends, the index is neither building nor
    // valid.
    if (found.building) looks = -1;
    await sleep(BUILDING_MS);
  }
  await connection.query(`drop index concurrently if exists ${index}`);
}

async function refuse(): Promise<void> {
  throw new Error('migrations lead forward only');
}
