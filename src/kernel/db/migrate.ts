import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Knex, knex } from 'knex';
import { type Connection, lenderOf, SILENT } from './connections';
import type { Sql } from './database';

const MIGRATED = 'knex_migrations';
const FOLDER = join(__dirname, 'migrations');
/** One migrator at a time, however many processes start together: it goes with the connection, whatever becomes of us. */
const LOCK = 7_204_113;
/** Whoever asks for a table queues behind one that waits to change it: rather fail, and be started again. */
const LOCK_TIMEOUT = '5s';
/** How often an index is looked at that another is building. */
const BUILDING_MS = 500;
/** The first line of a file whose statements are each sent alone, and may be sent once more. */
const OUTSIDE = '-- outside a transaction\n';

/**
 * Brings the database to the newest schema: numbered SQL files, forward only, each in a transaction of its own, but for those
 * that say otherwise.
 * @returns the names of the files that were applied now
 */
export async function migrate(url: string): Promise<string[]> {
  const db = knex({ client: 'pg', connection: url, pool: { min: 0, max: 2 }, log: SILENT });
  const lock = await lenderOf(db).acquireConnection();
  try {
    await lockOut(lock);
    await takeOver(db);
    // Knex's own lock is a row, which a migrator that was killed leaves behind: ours has just said that nobody runs.
    await db.migrate.forceFreeMigrationsLock(MIGRATOR);
    return await applyAll(db);
  } finally {
    await lenderOf(db).releaseConnection(lock);
    await db.destroy();
  }
}

/** Asks again and again: a statement that waits for the lock would have a snapshot, for which a concurrent index waits. */
async function lockOut(connection: Connection): Promise<void> {
  for (;;) {
    const { rows } = await connection.query<{ got: boolean }>('select pg_try_advisory_lock($1) as got', [
      LOCK,
    ]);
    if (rows[0]?.got) return;
    await sleep(200);
  }
}

/** One after the other: told to apply all, Knex does so in one transaction, and keeps every lock to its end. */
async function applyAll(db: Knex): Promise<string[]> {
  const applied: string[] = [];
  for (;;) {
    const [, [name]] = (await db.migrate.up(MIGRATOR)) as [number, string[]];
    if (name === undefined) return applied;
    applied.push(name);
  }
}

/** The migrations that this release needs and that the database has not seen. */
export async function missingMigrations(sql: Sql): Promise<string[]> {
  const [made] = await sql.query<{ there: boolean }>(
    `select to_regclass('${MIGRATED}') is not null as there`,
  );
  if (!made?.there) return migrationNames();
  const done = await sql.query<{ name: string }>(`select name from ${MIGRATED}`);
  const names = new Set(done.map(({ name }) => name));
  return migrationNames().filter((name) => !names.has(name));
}

/** The names of all migrations, oldest first. */
function migrationNames(): string[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.sql'))
    .sort();
}

const MIGRATOR: Knex.MigratorConfig = {
  tableName: MIGRATED,
  migrationSource: {
    getMigrations: async () => migrationNames(),
    getMigrationName: (name: string) => name,
    getMigration: async (name: string) => migrationOf(readFileSync(join(FOLDER, name), 'utf8')),
  },
};

function migrationOf(text: string): Knex.Migration & { config: { transaction: boolean } } {
  const outside = text.startsWith(OUTSIDE);
  return {
    config: { transaction: !outside },
    up: (db) => (outside ? applyOutside(db, text) : apply(db, text)),
    down: refuse,
  };
}

async function apply(tx: Knex, text: string): Promise<void> {
  const connection = await lenderOf(tx).acquireConnection(); // the transaction's own
  await connection.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
  // By the driver itself: Knex would take each `?` of the text for a binding.
  await connection.query(text);
}

async function applyOutside(db: Knex, text: string): Promise<void> {
  const connection = await lenderOf(db).acquireConnection();
  try {
    for (const statement of statementsOf(text)) {
      const index = /^create (?:unique )?index concurrently if not exists (\w+)/m.exec(statement)?.[1];
      // Such an index waits for whoever has begun before it, for as long as that takes, and nobody waits for it.
      await connection.query(`set lock_timeout = '${index === undefined ? LOCK_TIMEOUT : 0}'`);
      if (index !== undefined) await dropHalfBuilt(connection, index);
      await connection.query(statement);
    }
  } finally {
    await lenderOf(db).releaseConnection(connection);
  }
}

/** Ends of statements are semicolons outside of comments, bodies and texts. */
const statementsOf = (text: string): string[] =>
  text.match(/(?:--.*(?:\n|$)|\$\$[^]*?\$\$|'[^']*'|[^;'$-]|-(?!-)|\$(?!\$))+(?:;|$)/g) ?? [];

/** What is left of an index whose migrator was killed serves no reader, and costs every writer. */
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
    // By a migrator that is gone, whose statement Postgres still carries out; at its very end it is neither building nor valid.
    if (found.building) looks = -1;
    await sleep(BUILDING_MS);
  }
  await connection.query(`drop index concurrently if exists ${index}`);
}

async function refuse(): Promise<void> {
  throw new Error('migrations lead forward only');
}

/** What the first migrator had applied counts. Its table stays, for a process of that release. */
async function takeOver(db: Knex): Promise<void> {
  await db.migrate.currentVersion(MIGRATOR); // makes Knex's tables where there are none
  await db.raw(`
    do $$ begin
      if to_regclass('schema_migrations') is not null then
        insert into ${MIGRATED} (name, batch, migration_time)
        select name, 0, at from schema_migrations s
         where not exists (select 1 from ${MIGRATED} m where m.name = s.name) order by name;
      end if;
    end $$`);
}
