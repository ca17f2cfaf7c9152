import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

it('knows each variable of the configuration that holds a secret', () => {
  const source = ['config', 'mail', 'stripe', 'person', 'temporal']
    .map((name) => readFileSync(`src/kernel/config/${name}.ts`, 'utf8'))
    .join('\n');
  const names =
    source.match(
      /\b[A-Z][A-Z0-9]*(_[A-Z0-9]+)*_(SECRET|KEY|KEYS|SECRET_KEY|ACCESS_KEY|ACCESS_KEY_ID|PASSWORD|TOKEN)\b/g,
    ) ?? [];
  expect(names.length).toBeGreaterThan(4);
  expect([...new Set(names)].filter((name) => !SECRET_VARIABLES.includes(name))).toEqual([]);
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
