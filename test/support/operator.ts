import { type TOTP, URI } from 'otpauth';
import { INSTALLATION } from '../../src/desk/operators/operations';
import type { Database } from '../../src/kernel/db/database';
import { Decimal } from '../../src/kernel/money/money';
import { type GivenLimits, keepLimits } from '../../src/process/limits/operations';
import { runtimeUrl } from '../../src/startup/embedded/postgres/connection';
import { runInstallation } from '../../src/startup/installation/run';
import { runOperator } from '../../src/startup/operator/run';
import type { TestApi } from './api';
import { urlOf } from './database';
import { withDesk } from './desk';
import { masterKeysText, SIGNER_KEYS_TEXT, storedMasterKey } from './keyring';

/** Output and exit code of the command line. */
export interface Told {
  code: number;
  out: string;
  err: string;
}

/** Commands of `npm run installation`. */
const OF_INSTALLATION = [
  'ledger archive',
  'ledger check',
  'ledger trial-balance',
  'audit verify',
  'documents check',
  'keys list',
  'keys renew',
  'keys renew-users',
  'keys rotate',
  'operator add',
  'seed export',
  'seed import',
  'seed recover',
  'seed verify',
  'wallet-seed import',
  'wallet-seed rotate',
];

const isOfInstallation = ([group = '', verb]: string[]): boolean =>
  ['migrate', 'backup', 'restore', 'archive', 'lost-commits'].includes(group) ||
  OF_INSTALLATION.includes(`${group} ${verb}`);

/** Runs an operator command, or one of the installation. */
export const command = (environment: NodeJS.ProcessEnv, ...argv: string[]): Promise<Told> =>
  commandReading('', environment, ...argv);

/** Runs an operator command with standard input. */
export async function commandReading(
  input: string,
  environment: NodeJS.ProcessEnv,
  ...argv: string[]
): Promise<Told> {
  const [out, err]: [string[], string[]] = [[], []];
  const console = {
    out: (line: string) => out.push(line),
    err: (line: string) => err.push(line),
    read: async () => input,
  };
  // Each part of the command line has what it needs: the desk's a listener and no key.
  const code = isOfInstallation(argv)
    ? await runInstallation(argv, { SIGNER_KEYS: SIGNER_KEYS_TEXT, ...environment }, console)
    : await withDesk(environment, ({ DATABASE_URL: _, MASTER_KEYS: __, ...person }) =>
        runOperator(argv, person, console),
      );
  return { code, out: out.join('\n'), err: err.join('\n') };
}

/**
 * Returns the command line's environment for a database, with a first operator's secret, because decisions need one.
 */
export async function operatorEnvironment(
  database: Pick<Database, 'query'>,
  name = 'ida',
): Promise<Record<string, string>> {
  const [row] = await database.query<{ name: string }>('select current_database() as name');
  const environment = {
    DATABASE_URL: runtimeUrl(urlOf(row?.name ?? '')),
    MASTER_KEYS: masterKeysText(await storedMasterKey(database)),
  };
  return anotherOperator(environment, name);
}

/** Operators created here who may admit others, by installation. */
const admitting = new Map<string, NodeJS.ProcessEnv[]>();

/**
 * Returns the environment of a new operator, who was admitted by the operators created before, or is the first.
 * @param environment of an operator who may admit, or without one
 */
export async function anotherOperator<Environment extends NodeJS.ProcessEnv>(
  environment: Environment,
  name: string,
): Promise<Environment & { OPERATOR_SECRET: string }> {
  const { OPERATOR_SECRET, ...nobody } = environment;
  const place = environment['DATABASE_URL'] ?? environment['DATA_DIR'] ?? '';
  const before = admitting.get(place) ?? (OPERATOR_SECRET === undefined ? [] : [environment]);
  const { id, secret, codeGenerator } = await applied(nobody, name);
  for (const other of before) if (await admits(other, id)) break;
  const made = {
    ...environment,
    OPERATOR_NAME: name,
    OPERATOR_SECRET: secret,
    ...(codeGenerator === undefined ? {} : { CODE_GENERATOR: codeGenerator }),
  };
  admitting.set(place, [...before, made]);
  return made;
}

/** @returns whether the operator is admitted now, and needs no other's word */
async function admits(other: NodeJS.ProcessEnv, id: string): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    const { out, err } = await command({ ...other, ...codeOf(other) }, 'operator', 'admit', id);
    if (err === '') return out.endsWith('is admitted.');
    // On a busy machine the code may be too old when the desk sees it.
    if (tries === 5 || !err.includes('one-time code')) throw new Error(err);
  }
}

/** The code before the present one, so that the operator may sign in once more: a code works once. */
function codeOf({ CODE_GENERATOR: generator }: NodeJS.ProcessEnv): { OPERATOR_CODE?: string } {
  if (generator === undefined) return {};
  return { OPERATOR_CODE: (URI.parse(generator) as TOTP).generate({ timestamp: Date.now() - 30_000 }) };
}

/** Creates a new operator who is not admitted. */
export async function applied(nobody: NodeJS.ProcessEnv, name: string) {
  const made = await command(nobody, 'operator', 'add', '--name', name, '--json');
  if (made.code !== 0) throw new Error(made.err);
  const { operatorId, operatorSecret, codeGenerator } = JSON.parse(made.out) as Record<string, string>;
  return { id: operatorId ?? '', secret: operatorSecret ?? '', codeGenerator };
}

export interface OperatorAnswer {
  code: number;
  text: string;
  err: string;
  json<T = any>(): T;
}

export type TestOperator = (...argv: string[]) => Promise<OperatorAnswer>;

/** Returns the command line of an operator on the database and with the key of a test's API. */
export async function operatorOf(
  { database }: Pick<TestApi, 'database'>,
  masterKey: Buffer,
  more: NodeJS.ProcessEnv = {},
  name = 'ida',
): Promise<TestOperator> {
  const [row] = await database.query<{ name: string }>('select current_database() as name');
  const place = {
    DATABASE_URL: runtimeUrl(urlOf(row?.name ?? '')),
    MASTER_KEYS: masterKeysText(masterKey),
  };
  const environment = { ...(await anotherOperator(place, name)), ...more };
  return async (...argv) => {
    const { code, out, err } = await command(environment, ...argv);
    return { code, text: out, err, json: () => JSON.parse(out) };
  };
}

/** Stores the limit like a process that starts with this ADMIN_LIMIT, and the same limit for a tenant. */
export function setAdminLimit(database: Database, given: string | undefined): Promise<void> {
  const limit = given === undefined ? undefined : new Decimal(given);
  return setLimits(database, { credential: limit, tenant: limit });
}

/** Stores the limits like a process that starts with them. */
export const setLimits = (database: Database, limits: GivenLimits): Promise<void> =>
  database.transaction((tx) => keepLimits(tx, limits, INSTALLATION));

/** Moves the decisions of all days back by one day. */
export const dayGoesBy = async (database: Database): Promise<void> => {
  await database.query('update decided_alone set day = day - 1');
};
