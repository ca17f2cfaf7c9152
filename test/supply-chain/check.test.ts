import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The check of CI, on copies of the project's files with one fault each. */

const ROOT = join(__dirname, '../..');
const NAMES = [
  'package-lock.json',
  'Dockerfile',
  'docker-compose.yml',
  'scripts/supply-chain/images-without-digest.json',
];
const DIGEST = `sha256:${'a'.repeat(64)}`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cardwright-supply-chain-'));
  for (const name of NAMES) cpSync(join(ROOT, name), join(folder, name));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function check() {
  const options = { encoding: 'utf8' } as const;
  const script = join(ROOT, 'scripts/supply-chain/main.mjs');
  const { status, stderr } = spawnSync(process.execPath, [script, folder], options);
  return { status, faults: stderr.trim().split('\n').filter(Boolean) };
}

function change(name: string, edit: (text: string) => string): void {
  const path = join(folder, name);
  const before = readFileSync(path, 'utf8');
  const after = edit(before);
  expect(after).not.toBe(before);
  writeFileSync(path, after);
}

type Locked = Record<string, string | undefined>;
const changeLocked = (name: string, edit: (locked: Locked) => void) =>
  change('package-lock.json', (text) => {
    const lock = JSON.parse(text) as { packages: Record<string, Locked> };
    edit(lock.packages[`node_modules/${name}`] as Locked);
    return JSON.stringify(lock);
  });

it('passes as the project is', () => {
  expect(check()).toEqual({ status: 0, faults: [] });
});

it.each([
  ['no hash', (locked: Locked) => delete locked['integrity'], 'has no hash'],
  ['a weak hash', (locked: Locked) => (locked['integrity'] = 'sha1-AAAA'), 'has no hash'],
  ['a place of its own', (locked: Locked) => (locked['resolved'] = 'git+ssh://x'), 'comes from git+ssh://x'],
  ['no licence', (locked: Locked) => delete locked['license'], 'not allowed: undefined'],
  ['a licence that binds', (locked: Locked) => (locked['license'] = 'GPL-3.0'), 'not allowed: GPL-3.0'],
  [
    'one licence of two that binds',
    (locked: Locked) => (locked['license'] = 'MIT AND AGPL-3.0'),
    'not allowed: MIT AND AGPL-3.0',
  ],
])('refuses a package with %s', (_, edit, told) => {
  changeLocked('koa', edit);
  const { status, faults } = check();
  expect([status, faults.length]).toEqual([1, 1]);
  expect(faults[0]).toContain(told);
});

it('lets a licence for development alone stay out of production', () => {
  changeLocked('axe-core', (locked) => delete locked['dev']);
  expect(check().faults).toEqual([expect.stringContaining('axe-core')]);
});

it('accepts a choice of which one licence is allowed', () => {
  changeLocked('koa', (locked) => (locked['license'] = '(GPL-3.0 OR MIT)'));
  expect(check().status).toBe(0);
});

it('refuses an image without a digest, unless the list names it', () => {
  change('docker-compose.yml', (text) => text.replace('image: postgres:18', 'image: postgres:19'));
  expect(check().faults).toEqual(['docker-compose.yml: postgres:19 has no digest']);
  change('docker-compose.yml', (text) => text.replace('postgres:19', `postgres:19@${DIGEST}`));
  expect(check().status).toBe(0);
});

it('refuses a list that names a pinned image', () => {
  change('Dockerfile', (text) => text.replaceAll(/^(FROM node:\S+)/gm, `$1@${DIGEST}`));
  expect(check().faults).toEqual([expect.stringMatching(/^images-without-digest\.json: node:/)]);
});
