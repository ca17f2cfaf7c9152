import { migrate } from '../../../src/kernel/db/migrate';
import { giveRights } from '../../../src/kernel/db/roles';
import { runtimeUrl } from '../../../src/startup/embedded/postgres/connection';
import type { EmbeddedPostgres } from '../../../src/startup/embedded/postgres/server';
import { temporalExecutable } from '../../../src/startup/embedded/temporal/binary';
import { onServer, TEMPLATE, urlOf } from '../database';
import { startTestPostgres, toolContext } from '../servers';
import { testServerExecutable } from '../temporal-test-server';

const shared = globalThis as { testPostgres?: EmbeddedPostgres };

/** The embedded server overrides its durability settings, so these cannot weaken them. The folder is in memory on Linux. */
const SETTINGS = {
  max_wal_size: '512MB', // the folder may be in memory
  autovacuum: 'off', // databases live for seconds, and their statistics serve nobody
  scram_iterations: '1',
};

/** Starts one real Postgres for the run. Every test file copies the migrated template. */
export default async function setup(): Promise<void> {
  // Downloads or builds Temporal's programs once, because parallel test files would each build their own.
  await Promise.all([temporalExecutable(toolContext()), testServerExecutable(toolContext())]);
  const postgres = await startTestPostgres(SETTINGS);
  process.env['TEST_POSTGRES_URL'] = postgres.url;
  shared.testPostgres = postgres;
  try {
    await checkPasswordInOneRound(postgres.url);
    await onServer(`create database ${TEMPLATE}`);
    await migrate(urlOf(TEMPLATE));
    const asRuntime = runtimeUrl(urlOf(TEMPLATE));
    await giveRights({ owner: urlOf(TEMPLATE), runtime: asRuntime, sandbox: true });
    await checkPasswordInOneRound(asRuntime);
  } catch (error) {
    await postgres.stop(); // jest runs no teardown after a failed setup
    throw error;
  }
}

/**
 * Stores the password with one iteration (`scram_iterations`), which saves 4 ms of processor for each of some thousand
 * connections.
 */
async function checkPasswordInOneRound(url: string): Promise<void> {
  const { username, password } = new URL(url);
  await onServer(`alter role ${username} password '${decodeURIComponent(password)}'`);
}

/** For the teardown, because jest loads it into another module registry. */
export const testPostgres = (): EmbeddedPostgres | undefined => shared.testPostgres;
