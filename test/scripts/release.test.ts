import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { nameRelease } from '../../scripts/release';
import {
  faultsOfMigrations,
  MIGRATIONS,
  migrationHashes,
  RELEASED_FILE,
  releasedMigrations,
} from '../../scripts/release/migrations';

const ROOT = join(__dirname, '../..');
const FILES = [
  ...['package.json', 'package-lock.json', 'client/package.json', 'CHANGELOG.md', '.ci/release.json'],
  ...[RELEASED_FILE, MIGRATIONS],
];
const CHART = 'deploy/helm/cardwright/Chart.yaml';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cardwright-release-'));
  for (const file of FILES) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(ROOT, file), join(folder, file), { recursive: true });
  }
  // The checkout as it was before its first release.
  for (const file of ['package.json', 'package-lock.json', 'client/package.json'])
    change(file, (text) => text.replaceAll(/^( {2}| {6})"version": "[^"]*"/gm, (line) => candidate(line)));
  change('CHANGELOG.md', () => '# Changelog\n\n## [1.0.0-rc.1] - unreleased\n\n- All.\n');
  change(RELEASED_FILE, () => '{}\n');
  mkdirSync(dirname(join(folder, CHART)), { recursive: true });
  writeFileSync(join(folder, CHART), 'name: cardwright\nversion: 1.0.0-rc.1\nappVersion: 1.0.0-rc.1\n');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Only the product's own versions stand in the first lines. */
const candidate = (line: string): string => line.replace(/"[^"]*"$/, '"1.0.0-rc.1"');
const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
const json = (file: string) => JSON.parse(read(file)) as Record<string, any>;
const change = (file: string, edit: (text: string) => string): void =>
  writeFileSync(join(folder, file), edit(read(file)));
const name = (version: string) => nameRelease(folder, version, '2026-11-27');

it('gives every place the version, and keeps the migrations of the release', () => {
  name('1.0.0');
  expect(json('package.json')['version']).toBe('1.0.0');
  expect(json('client/package.json')['version']).toBe('1.0.0');
  expect([
    json('package-lock.json')['version'],
    json('package-lock.json')['packages']['']['version'],
  ]).toEqual([...['1.0.0', '1.0.0']]);
  expect(read(CHART)).toBe('name: cardwright\nversion: 1.0.0\nappVersion: 1.0.0\n');
  expect(read('CHANGELOG.md')).toContain('## [1.0.0] - 2026-11-27\n');
  expect(json('.ci/release.json')).toMatchObject({ version: '1.0.0', tests: expect.any(Array) });
  expect(releasedMigrations(folder)).toEqual(migrationHashes(folder));
  expect(Object.keys(releasedMigrations(folder))[0]).toBe('0001_kernel.sql');
});

it.each([
  ['1.0', 'is not a version'],
  ['1.0.0-rc.2', 'is not a version'],
  ['0.9.0', '0.9.0 is not later than 1.0.0-rc.1'],
])('refuses %s', (version, reason) => {
  expect(() => name(version)).toThrow(reason);
  expect(json('package.json')['version']).toBe('1.0.0-rc.1');
});

it('refuses a release whose released migrations were edited', () => {
  name('1.0.0');
  change('CHANGELOG.md', (text) => text.replace('## [1.0.0]', '## [1.1.0] - unreleased\n\n## [1.0.0]'));
  change(join(MIGRATIONS, '0001_kernel.sql'), (text) => `${text}-- edited\n`);
  expect(() => name('1.1.0')).toThrow('0001_kernel.sql is released and was edited');
});

it('adds the migrations of the next release', () => {
  name('1.0.0');
  change('CHANGELOG.md', (text) => text.replace('## [1.0.0]', '## [1.1.0] - unreleased\n\n## [1.0.0]'));
  writeFileSync(join(folder, MIGRATIONS, '9001_next.sql'), 'select 1;\n');
  name('1.1.0');
  expect(Object.keys(releasedMigrations(folder)).at(-1)).toBe('9001_next.sql');
});

it.each([
  [
    'an edited file',
    { a: '1', b: '2' },
    { a: '1', b: '3' },
    ['b is released and was edited: add a migration'],
  ],
  ['a missing file', { a: '1', b: '2' }, { b: '2' }, ['a is released and is missing']],
  ['a file before the last one', { a: '1', c: '2' }, { a: '1', b: '9', c: '2' }, [/^b comes before c/]],
  ['a later file', { a: '1' }, { a: '1', b: '2' }, []],
  ['no release', {}, { a: '1' }, []],
])('judges %s', (_, released, present, faults) => {
  expect(faultsOfMigrations(released, present)).toEqual(faults.map((fault) => expect.stringMatching(fault)));
});

it('has every released migration as it was released', () => {
  expect(faultsOfMigrations(releasedMigrations(), migrationHashes())).toEqual([]);
});
