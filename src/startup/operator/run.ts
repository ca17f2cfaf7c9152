import { join } from 'node:path';
import type { Console } from '../../desk/cli/console';
import { runDeskProgram } from '../../desk/cli/program';
import { type Config, readConfig } from '../../kernel/config';
import { PARTIES } from '../../kernel/parties';
import { StartupError } from '../../kernel/startup-error';
import { hasCommand, runProgram } from '../../operator/cli/program';
import type { Installation } from '../../operator/session';
import { readDemoCredentials } from '../demo-credentials';
import { connectionUrl } from '../embedded/postgres/connection';
import { DATABASE } from '../embedded/postgres/server';
import { readState } from '../embedded/state-file';
import { readMasterKey } from '../master-key';
import { deskPlace } from './desk-place';

/**
 * Runs one command: of the desk by its HTTP API, or one that no desk has replaced yet, on the database of DATABASE_URL or
 * the embedded one of a running `npm start`.
 * @param argv without the program's name
 * @returns exit code: 0, or 1 after an error, which is written to `console.err`
 */
export function runOperator(
  argv: string[],
  environment: NodeJS.ProcessEnv,
  console: Console,
): Promise<number> {
  if (hasCommand(argv)) return runProgram(argv, console, () => installationOf(readConfig(environment)));
  return runDeskProgram(
    argv,
    console,
    deskPlace(() => readConfig(environment), console),
  );
}

/** @throws StartupError or ConfigError that say what to do */
async function installationOf(config: Config): Promise<Installation> {
  return {
    databaseUrl: config.databaseUrl ?? (await embeddedUrl(config.dataDir)),
    masterKey: config.masterKey ?? (await embeddedKey(config)),
    sandbox: config.mode === 'sandbox',
    leftOut: PARTIES.filter((party) => config.parties[party] === 'off'),
    walletQuarantineSeconds: config.walletQuarantineSeconds,
    operatorSecret: config.operatorSecret ?? (await embeddedSecret(config)),
    workflowUrl: await workflowUrls(config),
    away: away(config),
  };
}

/** URLs of workflows in Temporal's UI, configured or embedded. */
async function workflowUrls({ temporal, dataDir }: Config): Promise<Installation['workflowUrl']> {
  const ui = temporal.uiUrl?.replace(/\/+$/, '') ?? (await embeddedUi(temporal.address, dataDir));
  if (ui === undefined) return () => null;
  const workflows = `${ui}/namespaces/${encodeURIComponent(temporal.namespace)}/workflows/`;
  return (workflowId) => workflows + encodeURIComponent(workflowId);
}

async function embeddedUi(address: string | undefined, dataDir: string): Promise<string | undefined> {
  if (address !== undefined) return undefined;
  const state = await readState<{ uiPort: number }>(join(dataDir, 'temporal.json'));
  return state && `http://127.0.0.1:${state.uiPort}`;
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

/** The operator's secret of an embedded sandbox. Everybody who can read its folder is its operator. */
async function embeddedSecret({ mode, databaseUrl, dataDir }: Config): Promise<string | undefined> {
  if (mode !== 'sandbox' || databaseUrl !== undefined) return undefined;
  return (await readDemoCredentials(dataDir))?.operator?.operatorSecret;
}

function away({ databaseUrl, dataDir }: Config): StartupError {
  return new StartupError(
    databaseUrl === undefined
      ? `Cardwright does not run on ${dataDir}. Start it with "npm start" in another terminal.`
      : 'The database that DATABASE_URL names cannot be reached.',
  );
}
