import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../kernel/config/config';
import type { Sql } from '../kernel/db/database';
import { DatabaseAway } from '../kernel/db/faults';
import { migrate, missingMigrations } from '../kernel/db/migrate';
import {
  differenceOfRights,
  type GivenRights,
  giveRights,
  isSeparate,
  missingSettings,
} from '../kernel/db/roles';
import { isPooled } from '../kernel/db/session-settings';
import { StartupError } from '../kernel/startup-error';
import type { DatabaseUrls } from './infrastructure';
import type { Stages } from './stages';

const ASK_MS = 1_000;
const SAY_EVERY = 10;

type SchemaConfig = Pick<Config, 'mode' | 'databaseReaderUrl'>;

/** The roles of an installation, for `kernel/db/roles`. */
export const rolesOf = (
  { mode, databaseReaderUrl }: SchemaConfig,
  { ownerUrl, databaseUrl }: DatabaseUrls,
): GivenRights => ({
  owner: ownerUrl,
  runtime: databaseUrl,
  reader: databaseReaderUrl,
  sandbox: mode === 'sandbox',
});

/**
 * Migrates the schema as its owner, and gives the other roles their rights.
 * @returns names of the files that were applied
 * @throws StartupError in live mode with one role only
 */
export async function migrateSchema(config: SchemaConfig, urls: DatabaseUrls): Promise<string[]> {
  const roles = rolesOf(config, urls);
  if (config.mode === 'live' && !isSeparate(roles))
    throw new StartupError(
      "DATABASE_OWNER_URL: MODE=live needs the schema's owner here, and another user in DATABASE_URL.",
    );
  const applied = await migrate(urls.ownerUrl);
  await giveRights(roles);
  return applied;
}

/**
 * Waits until `--role migrate` has applied the migrations of this release, because APIs and workers never change the
 * schema. A newer schema is accepted, because migrations add before they remove.
 */
export async function awaitSchema(sql: Sql, log: Logger, stages: Stages): Promise<void> {
  let stopped = false;
  stages.started('wait for the schema', async () => {
    stopped = true;
  });
  for (let asked = 0; !stopped; asked += 1) {
    const missing = await lookFor(sql);
    if (missing?.length === 0) return;
    if (asked % SAY_EVERY === 0) log.warn({ missing }, 'waiting for the schema: run --role migrate');
    await sleep(ASK_MS);
  }
}

/**
 * Waits until the process has the rights of the runtime role. More rights than those are refused in live mode, because a thief of
 * DATABASE_URL could change the audit log and the ledger. A sandbox warns.
 * @throws StartupError
 */
export async function awaitRights(
  sql: Sql,
  mode: Config['mode'],
  log: Logger,
  stages: Stages,
): Promise<void> {
  let stopped = false;
  stages.started('wait for rights', async () => {
    stopped = true;
  });
  for (let asked = 0; !stopped; asked += 1) {
    const { missing, excess } = await differenceOfRights(sql, mode === 'sandbox');
    if (missing.length > 0) {
      if (asked % SAY_EVERY === 0)
        log.warn(
          { missing },
          'waiting for rights to the database: run --role migrate with this DATABASE_URL',
        );
      await sleep(ASK_MS);
      continue;
    }
    if (excess.length === 0) return;
    const more = excess.slice(0, 3).join(', ');
    if (mode === 'live')
      throw new StartupError(
        `DATABASE_URL: its user may do more than the product needs (${more} …). MODE=live needs a user without these ` +
          'rights: run --role migrate with DATABASE_OWNER_URL and DATABASE_URL (docs/operating.md, Database roles).',
      );
    log.warn(
      { more },
      'DATABASE_URL names the owner of the database: give DATABASE_OWNER_URL and another user',
    );
    return;
  }
}

/** @throws StartupError when sessions behind PgBouncer lack the product's settings, such as its time-outs */
export async function assertSettings(sql: Sql, url: string): Promise<void> {
  const missing = isPooled(url) ? await missingSettings(sql) : [];
  if (missing.length === 0) return;
  throw new StartupError(
    `DATABASE_URL: its user lacks ${missing.join(', ')} behind PgBouncer: run --role migrate, or the statements of ` +
      '`npm run installation -- migrate --print`, and let PgBouncer connect anew (docs/operating.md, PgBouncer).',
  );
}

/** @returns undefined while the database does not answer */
async function lookFor(sql: Sql): Promise<string[] | undefined> {
  try {
    return await missingMigrations(sql);
  } catch (error) {
    if (error instanceof DatabaseAway) return undefined;
    throw error;
  }
}
