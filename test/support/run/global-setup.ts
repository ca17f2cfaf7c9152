import { migrate } from '../../../src/kernel/db/migrate';
import type { EmbeddedPostgres } from '../../../src/startup/embedded/postgres/server';
import { temporalExecutable } from '../../../src/startup/embedded/temporal/binary';
import { onServer, TEMPLATE, urlOf } from '../database';
import { startTestPostgres, toolContext } from '../servers';
import { testServerExecutable } from '../temporal-test-server';

const shared = globalThis as { testPostgres?: EmbeddedPostgres };

/** One real Postgres for the run; every test file copies the migrated template. */
export default async function setup(): Promise<void> {
  // A machine without Temporal's programs gets them here, once. Test files side by side would each build their own.
  await Promise.all([temporalExecutable(toolContext()), testServerExecutable(toolContext())]);
  const postgres = await startTestPostgres({ max_wal_size: '512MB' }); // its folder may be in memory
  process.env['TEST_POSTGRES_URL'] = postgres.url;
  shared.testPostgres = postgres;
  try {
    await onServer(`create database ${TEMPLATE}`);
    await migrate(urlOf(TEMPLATE));
  } catch (error) {
    await postgres.stop(); // jest runs no teardown after a set-up that failed
    throw error;
  }
}

/** For the teardown, which jest loads into a registry of its own. */
export const testPostgres = (): EmbeddedPostgres | undefined => shared.testPostgres;
