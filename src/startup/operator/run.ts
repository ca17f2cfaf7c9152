import { join } from 'node:path';
import type { Console } from '../../desk/cli/console';
import { runDeskProgram } from '../../desk/cli/program';
import { type Config, readConfig } from '../../kernel/config';
import { PARTIES } from '../../kernel/parties';
import { hasCommand, runProgram } from '../../operator/cli/program';
import type { Installation } from '../../operator/session';
import { createStore } from '../../parties/documents/settings';
import { readState } from '../embedded/state-file';
import { placeOf } from '../installation/run';
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
    ...(await placeOf(config)),
    leftOut: PARTIES.filter((party) => config.parties[party] === 'off'),
    walletQuarantineSeconds: config.walletQuarantineSeconds,
    documents: createStore(config.documents),
    workflowUrl: await workflowUrls(config),
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
