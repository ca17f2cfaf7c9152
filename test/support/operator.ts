import { randomBytes } from 'node:crypto';
import type { Database } from '../../src/kernel/db/database';
import { Decimal } from '../../src/kernel/money/money';
import { INSTALLATION } from '../../src/operator/operators/operations';
import { type GivenLimits, keepLimits } from '../../src/process/limits/operations';
import { runOperator } from '../../src/startup/operator/run';
import type { TestApi } from './api';
import { urlOf } from './database';

/** What the command line prints, and how it ends. */
export interface Told {
  code: number;
  out: string;
  err: string;
}

/** A command of the command line. */
export const command = (environment: NodeJS.ProcessEnv, ...argv: string[]): Promise<Told> =>
  commandReading('', environment, ...argv);

/** The same with something on its standard input. */
export async function commandReading(
  input: string,
  environment: NodeJS.ProcessEnv,
  ...argv: string[]
): Promise<Told> {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await runOperator(argv, environment, {
    out: (line) => out.push(line),
    err: (line) => err.push(line),
    read: async () => input,
  });
  return { code, out: out.join('\n'), err: err.join('\n') };
}

/** The environment of the command line on that database, with a first operator's secret: what decides is refused without one. */
export async function operatorEnvironment(
  database: Pick<Database, 'query'>,
  name = 'ida',
): Promise<Record<string, string>> {
  const [row] = await database.query<{ name: string }>('select current_database() as name');
  const environment = {
    DATABASE_URL: urlOf(row?.name ?? ''),
    MASTER_KEY: randomBytes(32).toString('base64'),
  };
  return anotherOperator(environment, name);
}

/** Who was made here and may admit others, by installation. */
const admitting = new Map<string, NodeJS.ProcessEnv[]>();

/**
 * The same of a new operator, who has made himself and was admitted by those who were made before, or is the first.
 * @param environment of one who may admit him, or of nobody
 */
export async function anotherOperator<Environment extends NodeJS.ProcessEnv>(
  environment: Environment,
  name: string,
): Promise<Environment & { OPERATOR_SECRET: string }> {
  const { OPERATOR_SECRET, ...nobody } = environment;
  const place = environment['DATABASE_URL'] ?? environment['DATA_DIR'] ?? '';
  const before = admitting.get(place) ?? (OPERATOR_SECRET === undefined ? [] : [environment]);
  const { id, secret } = await applied(nobody, name);
  for (const other of before) {
    const { out } = await command(other, 'operator', 'admit', id);
    if (out.endsWith('may decide.')) break;
  }
  const made = { ...environment, OPERATOR_SECRET: secret };
  admitting.set(place, [...before, made]);
  return made;
}

/** A new operator, by himself: nobody has admitted him. */
export async function applied(nobody: NodeJS.ProcessEnv, name: string) {
  const made = await command(nobody, 'operator', 'add', '--name', name, '--json');
  if (made.code !== 0) throw new Error(made.err);
  const { operatorId, operatorSecret } = JSON.parse(made.out) as Record<string, string>;
  return { id: operatorId ?? '', secret: operatorSecret ?? '' };
}

export interface OperatorAnswer {
  code: number;
  text: string;
  err: string;
  json<T = any>(): T;
}

export type TestOperator = (...argv: string[]) => Promise<OperatorAnswer>;

/** The command line of an operator on the database of a test's API, with the key that the API has. */
export async function operatorOf(
  { database }: Pick<TestApi, 'database'>,
  masterKey: Buffer,
  more: NodeJS.ProcessEnv = {},
  name = 'ida',
): Promise<TestOperator> {
  const [row] = await database.query<{ name: string }>('select current_database() as name');
  const place = { DATABASE_URL: urlOf(row?.name ?? ''), MASTER_KEY: masterKey.toString('base64') };
  const environment = { ...(await anotherOperator(place, name)), ...more };
  return async (...argv) => {
    const { code, out, err } = await command(environment, ...argv);
    return { code, text: out, err, json: () => JSON.parse(out) };
  };
}

/** As a process does that starts with that ADMIN_LIMIT, and the same for a tenant. */
export function setAdminLimit(database: Database, given: string | undefined): Promise<void> {
  const limit = given === undefined ? undefined : new Decimal(given);
  return setLimits(database, { credential: limit, tenant: limit });
}

/** As a process does that starts with those limits. */
export const setLimits = (database: Database, limits: GivenLimits): Promise<void> =>
  database.transaction((tx) => keepLimits(tx, limits, INSTALLATION));

/** What was decided today was decided yesterday. */
export const dayGoesBy = async (database: Database): Promise<void> => {
  await database.query('update decided_alone set day = day - 1');
};
