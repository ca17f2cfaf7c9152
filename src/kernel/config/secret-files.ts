import { readFileSync } from 'node:fs';
import { PARTIES, partyVariable } from '../parties';

/**
 * The variables that hold a secret. Each may be given as a file instead, by `<NAME>_FILE`. A secret store can mount the
 * file, and no list of processes shows the secret.
 */
export const SECRET_VARIABLES: readonly string[] = [
  'DATABASE_URL',
  'DATABASE_OWNER_URL',
  'DATABASE_READER_URL',
  'MASTER_KEYS',
  'TEMPORAL_API_KEY',
  'AUDIT_HEAD_SECRET',
  'AUDIT_HEAD_S3_ACCESS_KEY_ID',
  'AUDIT_HEAD_S3_SECRET_ACCESS_KEY',
  'DOCUMENTS_S3_ACCESS_KEY_ID',
  'DOCUMENTS_S3_SECRET_ACCESS_KEY',
  'OPERATOR_SECRET',
  'SIGNER_KEYS',
  'SMTP_URL',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'STRIPE_ISSUING_WEBHOOK_SECRET',
  ...PARTIES.map((party) => `${partyVariable(party)}_SECRET`),
];

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Reads the secrets that are given as files. White space around a file's text does not count.
 * @param given without empty variables
 * @returns the variables with these secrets, and a line for each file that is wrong, without its content
 */
export function readSecretFiles(given: Variables): { secrets: Variables; wrong: string[] } {
  const read = SECRET_VARIABLES.filter((name) => given[`${name}_FILE`] !== undefined).map(
    (name) => [name, readSecret(name, given)] as const,
  );
  return {
    secrets: Object.fromEntries(read.flatMap(([name, { secret }]) => (secret ? [[name, secret]] : []))),
    wrong: read.flatMap(([, { wrong }]) => wrong ?? []),
  };
}

const FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'must be readable by this user',
  EISDIR: 'is a folder',
};

function readSecret(name: string, given: Variables): { secret?: string; wrong?: string } {
  const variable = `${name}_FILE`;
  const path = given[variable] ?? '';
  if (given[name] !== undefined) return { wrong: `${name}: must not be given together with ${variable}` };
  try {
    const secret = readFileSync(path, 'utf8').trim();
    return secret === '' ? { wrong: `${variable}: ${path} is empty` } : { secret };
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    return { wrong: `${variable}: ${path} ${FAULTS[code] ?? `cannot be read (${code})`}` };
  }
}
