import { CommanderError } from 'commander';
import { ConfigError } from '../../kernel/config/config';
import { CommitUnknown, DatabaseAway } from '../../kernel/db/faults';
import { Problem } from '../../kernel/errors';
import { StartupError } from '../../kernel/startup-error';
import type { Console } from './console';

/** Error output of a failed command. */
export interface Failure {
  /** 2 usage, 3 not found, 4 conflict or missing permission, 1 anything else. */
  exitCode: number;
  code: string;
  message: string;
  /** The option, argument or field at fault, if any. */
  field?: string | undefined;
}

const EXIT_CODES: Record<number, number> = { 400: 2, 403: 4, 404: 3, 409: 4 };
const OTHER = 1;

/** Converts an error for people. Shows a stack only for errors that were not made for people. */
export function failureOf(error: unknown): Failure {
  if (error instanceof CommanderError) return usageOf(error);
  if (error instanceof Problem) {
    const { status, code, message, field } = error;
    return { exitCode: EXIT_CODES[status] ?? OTHER, code, message, field };
  }
  return { exitCode: OTHER, ...faultOf(error) };
}

function usageOf({ message }: CommanderError): Failure {
  const [, option, argument] = /'(?:-\w, )?--([\w-]+)|argument '([\w-]+)/.exec(message) ?? [];
  const field = option ?? argument;
  return { exitCode: 2, code: 'usage', message: message.replace(/^error: /, ''), field };
}

function faultOf(error: unknown): Pick<Failure, 'code' | 'message'> {
  if (error instanceof ConfigError) return { code: 'wrong_configuration', message: error.message };
  if (error instanceof StartupError) return { code: 'unavailable', message: error.message };
  if (error instanceof CommitUnknown)
    return {
      code: 'outcome_unknown',
      message: 'The connection broke while it was kept: look whether it was done.',
    };
  if (error instanceof DatabaseAway)
    return { code: 'unavailable', message: 'The database cannot be reached just now; nothing was recorded.' };
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { code: 'internal_error', message };
}

/** Prints a failure to the error output, as text or one line of JSON. The standard output carries results only. */
export function tellFailure(console: Console, json: boolean, { code, message, field }: Failure): void {
  console.err(json ? JSON.stringify({ code, message, field }) : message);
}
