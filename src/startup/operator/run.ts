import type { Console } from '../../desk/cli/console';
import { runDeskProgram } from '../../desk/cli/program';
import { readPersonConfig } from '../../kernel/config/person';
import { deskPlace } from './desk-place';

/**
 * Runs one command by the desk's HTTP API.
 * @param argv without the program's name
 * @returns exit code: 0, or another after an error, which is written to `console.err`
 */
export const runOperator = (
  argv: string[],
  environment: NodeJS.ProcessEnv,
  console: Console,
): Promise<number> =>
  runDeskProgram(
    argv,
    console,
    deskPlace(() => readPersonConfig(environment), console),
  );
