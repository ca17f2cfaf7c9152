import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { createDatabase, type Database } from '../../../src/kernel/db/database';
import { connectionUrl } from '../../../src/startup/embedded/postgres/connection';
import { DATABASE } from '../../../src/startup/embedded/postgres/server';
import { type Run, start } from '../../startup/process';
import { ownPort } from '../../support/own-port';
import { temporaryFolder } from '../../support/servers';

/** The sandbox's parties in a process with a database of their own. They keep their address and their data when they are killed. */
export interface ApartParties {
  /** Variables with their addresses and secrets. */
  addresses: Record<string, string>;
  database: Database;
  /** Sends SIGKILL. Resolves when they serve again. */
  kill9(): Promise<void>;
}

/** @param closing receives how the parties are stopped */
export async function startParties(closing: (() => unknown)[]): Promise<ApartParties> {
  const dataDir = temporaryFolder('parties');
  const environment = { DATA_DIR: dataDir, LOG_LEVEL: 'warn', PORT: String(await ownPort()) };
  let run: Run;
  async function serve(): Promise<void> {
    run = start(['--role', 'parties'], environment);
    await run.until(/parties are ready/);
  }
  await serve();
  closing.push(async () => {
    run.child.kill('SIGINT');
    await run.ended;
    rmSync(dataDir, { recursive: true, force: true });
  });
  const access = JSON.parse(readFileSync(join(dataDir, 'postgres.json'), 'utf8'));
  const url = connectionUrl(access, DATABASE);
  const database = createDatabase({ url, poolSize: 2, name: 'parties of chaos' });
  closing.push(() => database.close());
  return {
    addresses: parseEnv(readFileSync(join(dataDir, 'parties.env'), 'utf8')) as Record<string, string>,
    database,
    async kill9() {
      run.child.kill('SIGKILL');
      await run.ended;
      await serve();
    },
  };
}
