import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, readConfig } from '../../../src/kernel/config/config';
import { readPersonConfig } from '../../../src/kernel/config/person';
import { SECRET_VARIABLES } from '../../../src/kernel/config/secret-files';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cardwright-secrets-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

function told(environment: NodeJS.ProcessEnv): string {
  try {
    readConfig(environment, 'reaches');
    return '';
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
}

const KEYS = `first:${Buffer.alloc(32, 1).toString('base64')}`;
const OTHER_KEYS = `other:${Buffer.alloc(32, 2).toString('base64')}`;
const URL = 'postgres://ada:hush@db/cardwright';

it('reads secrets from files, without the white space around them', () => {
  const config = readConfig({
    DATABASE_URL_FILE: fileOf('url', `${URL}\n`),
    MASTER_KEYS_FILE: fileOf('keys', `\n${KEYS}\n`),
    PARTY_BANK_URL: 'https://bank.example.com',
    PARTY_BANK_SECRET_FILE: fileOf('bank', 'b'.repeat(32)),
  });
  expect(config.databaseUrl).toBe(URL);
  expect(config.masterKeys).toEqual([{ kind: 'given', id: 'first', key: Buffer.alloc(32, 1) }]);
  expect(config.parties.bank).toMatchObject({ secret: Buffer.from('b'.repeat(32)) });
  expect(readPersonConfig({ OPERATOR_SECRET_FILE: fileOf('operator', 'hush\n') }).operatorSecret).toBe(
    'hush',
  );
});

/** The variables that each one needs beside it. */
const BESIDE: Readonly<Record<string, NodeJS.ProcessEnv>> = {
  DATABASE_URL: { MASTER_KEYS: KEYS },
  DATABASE_OWNER_URL: { DATABASE_URL: URL, MASTER_KEYS: KEYS },
  DATABASE_READER_URL: { DATABASE_URL: URL, MASTER_KEYS: KEYS },
  TEMPORAL_API_KEY: { TEMPORAL_ADDRESS: 'temporal.example.com:7233' },
  AUDIT_HEAD_SECRET: { AUDIT_HEAD_TO: 'https://witness.example.com/heads' },
  AUDIT_HEAD_S3_ACCESS_KEY_ID: { AUDIT_HEAD_TO: 's3://heads', AUDIT_HEAD_S3_SECRET_ACCESS_KEY: 'hush' },
  AUDIT_HEAD_S3_SECRET_ACCESS_KEY: { AUDIT_HEAD_TO: 's3://heads', AUDIT_HEAD_S3_ACCESS_KEY_ID: 'hush' },
  DOCUMENTS_S3_ACCESS_KEY_ID: { DOCUMENTS_S3_BUCKET: 'documents', DOCUMENTS_S3_SECRET_ACCESS_KEY: 'hush' },
  DOCUMENTS_S3_SECRET_ACCESS_KEY: { DOCUMENTS_S3_BUCKET: 'documents', DOCUMENTS_S3_ACCESS_KEY_ID: 'hush' },
  SMTP_URL: { MAIL_FROM: 'cards@example.com' },
  STRIPE_SECRET_KEY: { STRIPE_WEBHOOK_SECRET: `whsec_${'h'.repeat(32)}` },
  STRIPE_WEBHOOK_SECRET: { STRIPE_SECRET_KEY: 'sk_test_hush' },
  STRIPE_ISSUING_WEBHOOK_SECRET: {
    STRIPE_SECRET_KEY: 'sk_test_hush',
    PARTY_CARDHOLDER_REVIEW: 'stripe',
  },
};

/** A value that the variable takes. */
function valueOf(name: string): string {
  if (name.startsWith('DATABASE_')) return `${URL}_${name.toLowerCase()}`;
  if (name.endsWith('_KEYS')) return KEYS;
  if (/^STRIPE_.*WEBHOOK_SECRET$/.test(name)) return `whsec_${'h'.repeat(32)}`;
  if (name === 'SMTP_URL') return 'smtps://ada:hush@mail.example.com:465';
  return `sk_test_${'h'.repeat(32)}`;
}

const besideOf = (name: string): NodeJS.ProcessEnv => {
  const [, party] = /^(PARTY_.+)_SECRET$/.exec(name) ?? [];
  return party === undefined ? (BESIDE[name] ?? {}) : { [`${party}_URL`]: 'https://party.example.com' };
};

it.each([...SECRET_VARIABLES])('takes %s from a file as from the variable', (name) => {
  const [value, beside] = [valueOf(name), besideOf(name)];
  const given = readConfig({ ...beside, [name]: value });
  expect(readConfig({ ...beside, [`${name}_FILE`]: fileOf(name, `${value}\n`) })).toEqual(given);
  // The value counts: another one makes another configuration.
  const other = name.endsWith('_KEYS') ? OTHER_KEYS : value.replace(/h(?=[^h]*$)/, 'x');
  expect(readConfig({ ...beside, [name]: other })).not.toEqual(given);
});

it('names every file that cannot be used, and shows no secret', () => {
  const path = fileOf('wrong', 'hush');
  const message = told({
    DATABASE_URL: URL,
    DATABASE_URL_FILE: path,
    MASTER_KEYS_FILE: join(folder, 'none'),
    SMTP_URL_FILE: folder,
    OPERATOR_SECRET_FILE: fileOf('empty', ' \n'),
  });
  expect(message.split('\n').slice(1)).toEqual([
    '  DATABASE_URL: must not be given together with DATABASE_URL_FILE.',
    `  MASTER_KEYS_FILE: ${join(folder, 'none')} does not exist.`,
    `  OPERATOR_SECRET_FILE: ${join(folder, 'empty')} is empty.`,
    `  SMTP_URL_FILE: ${folder} is a folder.`,
  ]);
  expect(told({ MASTER_KEYS_FILE: path })).toMatch(/^MASTER_KEYS: must be a list.*\(given: hidden\)\.$/);
});

// Root reads every file.
(process.getuid?.() === 0 ? it.skip : it)('names a file that another user owns', () => {
  const path = fileOf('closed', 'hush');
  chmodSync(path, 0);
  expect(told({ SMTP_URL_FILE: path })).toBe(`SMTP_URL_FILE: ${path} must be readable by this user.`);
});

/** Names keys that other systems hold. */
const NO_SECRETS = ['STATION_KEYS'];

it('knows each variable of the configuration that holds a secret', () => {
  const source = readdirSync('src/kernel/config')
    .map((name) => readFileSync(`src/kernel/config/${name}`, 'utf8'))
    .join('\n');
  const names =
    source.match(
      /\b[A-Z][A-Z0-9]*(_[A-Z0-9]+)*_(SECRET|KEY|KEYS|SECRET_KEY|ACCESS_KEY|ACCESS_KEY_ID|PASSWORD|TOKEN)\b/g,
    ) ?? [];
  expect(names.length).toBeGreaterThan(4);
  const secret = [...new Set(names)].filter((name) => !NO_SECRETS.includes(name));
  expect(secret.filter((name) => !SECRET_VARIABLES.includes(name))).toEqual([]);
});

it('is described for each variable', () => {
  const documented = readFileSync('docs/operating.md', 'utf8');
  const shown = SECRET_VARIABLES.filter((name) => !name.startsWith('PARTY_')).concat('PARTY_<NAME>_SECRET');
  for (const name of shown) expect(documented).toContain(`\`${name}_FILE\``);
});

describe('MASTER_KEYS', () => {
  const read = (MASTER_KEYS: string) => readConfig({ MASTER_KEYS }).masterKeys?.map(({ id }) => id);
  const other = `2025-01:${Buffer.alloc(32, 2).toString('base64')}`;

  it('is a list of keys that are given, or held by AWS KMS', () => {
    const kms = 'kms:arn:aws:kms:eu-central-1:111122223333:key/1234abcd';
    expect(read(`${kms},${KEYS} ${other}`)).toEqual([kms, 'first', '2025-01']);
    expect(read(`${KEYS}\n${other}\n`)).toEqual(['first', '2025-01']);
  });

  it.each(['hush', 'first:aGVsbG8=', `fi/rst:${KEYS.slice(6)}`, 'kms:', `${KEYS},`.repeat(2), ' '])(
    'is refused when it is %j',
    (given) => expect(told({ MASTER_KEYS: given })).toMatch(/^MASTER_KEYS: must.*\(given: hidden\)\.$/),
  );
});
