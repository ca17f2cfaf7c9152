import { join } from 'node:path';
import { type TOTP, URI } from 'otpauth';
import { runInstallation } from '../../src/startup/installation/run';
import { runOperator } from '../../src/startup/operator/run';
import { type Run, start } from '../startup/process';
import type { Client } from '../support/api';
import { masterKeysText } from '../support/keyring';
import { anotherOperator } from '../support/operator';
import { shareBundles } from '../support/product';
import { clientAt } from './client';

type Environment = Record<string, string>;
type Answer = Record<string, any>;

/** A running live installation with two operators. The commands give their JSON, and throw when they fail. */
export interface LiveInstallation {
  run: Run;
  baseUrl: string;
  /** A command of the first operator. */
  operator(...argv: string[]): Promise<Answer>;
  /** A command of the second operator, who approves. */
  approver(...argv: string[]): Promise<Answer>;
  installation(...argv: string[]): Promise<Answer>;
  /** Creates a tenant and gives its client. */
  tenant(role: 'client' | 'admin'): Promise<Client>;
}

/** Starts a live installation, and signs two operators in. @param given `PORT`, and the settings of the parties */
export async function startLive(
  dataDir: string,
  given: Environment & { PORT: string },
): Promise<LiveInstallation> {
  await shareBundles(dataDir);
  const baseUrl = `http://127.0.0.1:${given.PORT}`;
  const environment = {
    MODE: 'live',
    DATA_DIR: dataDir,
    LOG_LEVEL: 'warn',
    PUBLIC_URL: baseUrl,
    MASTER_KEYS: masterKeysText(),
    ...given,
  };
  const run = start([], environment);
  await run.until(/"mode":"live".*"Cardwright is ready"/);
  const invited = await anotherOperator(environment, 'ida');
  const bob = await signedIn(dataDir, await anotherOperator(invited, 'bob'), 'bob');
  const ida = await signedIn(dataDir, invited, 'ida');
  const operator = (...argv: string[]) => answerOf(runOperator, ida, argv);
  const approver = (...argv: string[]) => answerOf(runOperator, bob, argv);
  return {
    run,
    baseUrl,
    operator,
    approver,
    installation: (...argv) => answerOf(runInstallation, ida, argv),
    async tenant(role) {
      const made = await operator('client', 'create', '--name', 'Acme', '--role', role);
      const { clientId, clientSecret } = made as { clientId: string; clientSecret: string };
      if (role === 'admin') await approver('approval', 'approve', made['approval'].id as string);
      return clientAt(baseUrl, { clientId, clientSecret });
    },
  };
}

/** Signs an operator in at the desk with a one-time code, which live demands. The session replaces the secret. */
async function signedIn(dataDir: string, environment: Environment, name: string): Promise<Environment> {
  const { OPERATOR_SECRET, ...rest } = environment;
  const who = { ...rest, OPERATOR_SESSION: join(dataDir, `session-${name}.json`) };
  const code = (URI.parse(environment['CODE_GENERATOR'] ?? '') as TOTP).generate();
  const told: string[] = [];
  const tell = (line: string) => void told.push(line);
  const login = { ...who, OPERATOR_SECRET: OPERATOR_SECRET ?? '' };
  const exitCode = await runOperator(['login', '--code', code], login, { out: tell, err: tell });
  expect([exitCode, told]).toEqual([0, [expect.stringContaining(`${name} is signed in`)]]);
  return who;
}

async function answerOf(run: typeof runOperator, who: Environment, argv: string[]): Promise<Answer> {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await run([...argv, '--json'], who, {
    out: (line) => out.push(line),
    err: (line) => err.push(line),
  });
  expect([argv, code, err]).toEqual([argv, 0, []]);
  return JSON.parse(out.join('\n')) as Answer;
}
