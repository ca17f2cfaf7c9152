import { migrate } from '../../../src/kernel/db/migrate';
import { onServer, TEMPLATE, urlOf } from '../database';
import { startTestPostgres } from '../servers';

/** One real Postgres for the run; every test file copies the migrated template. */
export default async function setup(): Promise<void> {
  const postgres = await startTestPostgres({ max_wal_size: '512MB' }); // its folder may be in memory
  process.env['TEST_POSTGRES_URL'] = postgres.url;
  (globalThis as Record<string, unknown>)['stopTestServers'] = () => postgres.stop();
  try {
    await onServer(`create database ${TEMPLATE}`);
    await migrate(urlOf(TEMPLATE));
  } catch (error) {
    await postgres.stop(); // jest runs no teardown after a set-up that failed
    throw error;
  }
}
