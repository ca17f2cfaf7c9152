import { join } from 'node:path';
import { type Config, readConfig } from '../kernel/config';
import { StartupError } from '../kernel/startup-error';
import type { Console } from '../operator/cli/console';
import { runProgram } from '../operator/cli/program';
import type { Installation } from '../operator/session';
import { DATABASE } from './embedded/postgres';
import { connectionUrl } from './embedded/postgres-server';
import { readState } from './embedded/state-file';
import { readMasterKey } from './master-key';

/**
 * Runs one command of the operator's command line on the database that DATABASE_URL names, or on the embedded one of a
 * running `npm start`.
 * @param argv without the program's name
 * @returns the exit code: 0, or 1 when something is wrong, told on `console.err`
 */
export function runOperator(
  argv: string[],
  environment: NodeJS.ProcessEnv,
  console: Console,
): Promise<number> {
  return runProgram(argv, console, () => installationOf(readConfig(environment)));
}

/** @throws StartupError or ConfigError that say what to do */
async function installationOf(config: Config): Promise<Installation> {
  return {
    databaseUrl: config.databaseUrl ?? (await embeddedUrl(config.dataDir)),
    masterKey: config.masterKey ?? (await embeddedKey(config)),
    sandbox: config.mode === 'sandbox',
    away: away(config),
  };
}

async function embeddedUrl(dataDir: string): Promise<string> {
  const state = await readState<{ port: number; password: string }>(join(dataDir, 'postgres.json'));
  if (!state) {
    throw new StartupError(
      `There is no Cardwright in ${dataDir}. Start one with "npm start" in another terminal, name its folder in DATA_DIR, ` +
        'or name its database in DATABASE_URL.',
    );
  }
  return connectionUrl(state, DATABASE);
}

async function embeddedKey(config: Config): Promise<Buffer> {
  const key = await readMasterKey(config.dataDir);
  if (!key) throw new StartupError(`${join(config.dataDir, 'master.key')} is missing: give MASTER_KEY.`);
  return key;
}

function away({ databaseUrl, dataDir }: Config): StartupError {
  return new StartupError(
    databaseUrl === undefined
      ? `Cardwright does not run on ${dataDir}. Start it with "npm start" in another terminal.`
      : 'The database that DATABASE_URL names cannot be reached.',
  );
}
