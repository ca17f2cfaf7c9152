import type { Console } from '../../desk/cli/console';
import { runDeskProgram } from '../../desk/cli/program';
import { type Config, readConfig } from '../../kernel/config';
import { hasCommand, runProgram } from '../../operator/cli/program';
import type { Installation } from '../../operator/session';
import { createStore } from '../../parties/documents/settings';
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
    documents: createStore(config.documents),
  };
}
