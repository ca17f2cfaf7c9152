import { Command } from 'commander';
import type { SigningKeys } from './allow-list';
import type { DeskClient } from './client';
import type { Console } from './console';

/** The desk that a run of the command line works at. */
export interface Place {
  /** The client of an operator who is signed in. @throws Problem, StartupError */
  open(): Promise<{ client: DeskClient; close(): Promise<void> }>;
  /** Signs in and keeps the session. @returns the name of the operator */
  login(options: { name?: string | undefined; code?: string | undefined }): Promise<string>;
  /** Ends the kept session. */
  logout(): Promise<void>;
  /** Looks at a one-time link, or uses it with a code. @returns what to tell the operator */
  join(options: { token: string; code?: string | undefined }): Promise<string>;
  /** The operator's key for allow-lists, on his machine. */
  signingKeys: SigningKeys;
}

/** Commands of a person who is not signed in. */
export const SESSIONLESS: readonly string[] = ['login', 'logout', 'join', 'signing-key'];

export function newProgram(console: Console, json = false): Command {
  const program = new Command('operator').usage('<group> <command>').exitOverride();
  program.configureOutput({
    writeOut: (text) => console.out(text.trimEnd()),
    writeErr: (text) => {
      if (!json) console.err(text.trimEnd());
    },
  });
  return program;
}

export function sessionProgram(console: Console, place: Place): Command {
  const program = newProgram(console);
  program
    .command('login')
    .description('signs in, with the secret in OPERATOR_SECRET or on the input')
    .option('--name <name>', 'your name; OPERATOR_NAME without it')
    .option('--code <code>', 'the one-time code of your generator')
    .action(async (options: { name?: string; code?: string }) =>
      console.out(`${await place.login(options)} is signed in, for 12 hours or until 30 minutes of rest.`),
    );
  program
    .command('logout')
    .description('ends your session')
    .action(() => place.logout());
  program
    .command('join <token>')
    .description('uses a one-time link: to become an operator, or for a new code generator')
    .option('--code <code>', 'a code of the new generator; without it, the link is shown and not used')
    .action(async (token: string, { code }: { code?: string }) =>
      console.out(await place.join({ token, code })),
    );
  program
    .command('signing-key')
    .description('your key for allow-lists, which never leaves this machine')
    .command('create')
    .description('makes it, and prints the public key for SIGNER_OPERATORS of the signing process')
    .action(async () => {
      const { file, publicKey } = await place.signingKeys.create();
      console.out(
        `Your key is in ${file}. Keep a copy offline. SIGNER_OPERATORS takes your name and ${publicKey}`,
      );
    });
  return program;
}
