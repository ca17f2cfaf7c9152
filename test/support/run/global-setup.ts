import { migrate } from '../../../src/kernel/db/migrate';
import type { EmbeddedPostgres } from '../../../src/startup/embedded/postgres/server';
import { temporalExecutable } from '../../../src/startup/embedded/temporal/binary';
import { onServer, TEMPLATE, urlOf } from '../database';
import { startTestPostgres, toolContext } from '../servers';
import { testServerExecutable } from '../temporal-test-server';

const shared = globalThis as { testPostgres?: EmbeddedPostgres };

/** No test crashes this server, so nothing is written for a recovery. Tests that kill Postgres start one of their own. */
const UNCRASHED = {
  max_wal_size: '512MB', // its folder may be in memory
  fsync: 'off',
  full_page_writes: 'off',
  scram_iterations: '1',
};

/** One real Postgres for the run; every test file copies the migrated template. */
export default async function setup(): Promise<void> {
  // A machine without Temporal's programs gets them here, once. Test files side by side would each build their own.
  await Promise.all([temporalExecutable(toolContext()), testServerExecutable(toolContext())]);
  const postgres = await startTestPostgres(UNCRASHED);
  process.env['TEST_POSTGRES_URL'] = postgres.url;
  shared.testPostgres = postgres;
  try {
    await checkPasswordInOneRound(postgres.url);
    await onServer(`create database ${TEMPLATE}`);
    await migrate(urlOf(TEMPLATE));
  } catch (error) {
    await postgres.stop(); // jest runs no teardown after a set-up that failed
    throw error;
  }
}

/** Stores the password anew by `scram_iterations`. Each of some thousand connections then costs 4 ms of processor less. */
async function checkPasswordInOneRound(url: string): Promise<void> {
  const { username, password } = new URL(url);
  await onServer(`alter role ${username} password '${decodeURIComponent(password)}'`);
}

/** For the teardown, which jest loads into a registry of its own. */
export const testPostgres = (): EmbeddedPostgres | undefined => shared.testPostgres;
