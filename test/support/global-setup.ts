import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '../../src/db/migrate';
import { startPostgres } from '../../src/embedded/postgres';
import { onServer, TEMPLATE, urlOf } from './database';

const quiet = {
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  debug: () => undefined,
};

/** One real Postgres for the run; every test file copies the migrated template. */
export default async function setup(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'cardwright-test-'));
  const postgres = await startPostgres({ dataDir, log: quiet, onProgress: () => undefined });
  process.env['TEST_POSTGRES_URL'] = postgres.url;
  process.env['TEST_DATA_DIR'] = dataDir;
  await onServer(`create database ${TEMPLATE}`);
  await migrate(urlOf(TEMPLATE));
  (globalThis as Record<string, unknown>)['stopTestServers'] = () => postgres.stop();
}
