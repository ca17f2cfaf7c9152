import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The check of CI, on copies of the project's files with one fault each. */

const ROOT = join(__dirname, '../..');
const NAMES = [
  'package-lock.json',
  'Dockerfile',
  'docker-compose.yml',
  'package.json',
  'scripts/supply-chain/images-without-digest.json',
];
const DIGEST = `sha256:${'a'.repeat(64)}`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cardwright-supply-chain-'));
  for (const name of NAMES) cpSync(join(ROOT, name), join(folder, name));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function check(...more: string[]) {
  const options = { encoding: 'utf8' } as const;
  const script = join(ROOT, 'scripts/supply-chain/main.mjs');
  const { status, stderr } = spawnSync(process.execPath, [script, folder, ...more], options);
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

describe('an image that is published', () => {
  const LIST = 'scripts/supply-chain/images-without-digest.json';
  const REFUSED =
    /^a published image must not rest on images without a digest: .*node:.*Run node scripts\/supply-chain\/pin-images\.mjs/;

  it('is refused while an image lacks a digest', () => {
    expect(check('--publish')).toEqual({ status: 1, faults: [expect.stringMatching(REFUSED)] });
  });

  it('passes once the script has asked the registry for every digest', () => {
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    // A registry that knows every image, in the place of Docker.
    writeFileSync(
      join(bin, 'docker'),
      `#!/bin/sh\n[ "$1 $2 $3" = "buildx imagetools inspect" ] && echo ${DIGEST}\n`,
    );
    chmodSync(join(bin, 'docker'), 0o755);
    expect(pin(bin).status).toBe(0);
    expect(readFileSync(join(folder, LIST), 'utf8')).toBe('[]\n');
    expect(readFileSync(join(folder, 'Dockerfile'), 'utf8')).toMatch(
      /^FROM node:\S+@sha256:a{64} AS packages$/m,
    );
    expect(check('--publish')).toEqual({ status: 0, faults: [] });
  });

  it('stays as it is where the registry knows no digest', () => {
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'docker'), '#!/bin/sh\necho unknown\n');
    chmodSync(join(bin, 'docker'), 0o755);
    const before = readFileSync(join(folder, 'Dockerfile'), 'utf8');
    const { status, stderr } = pin(bin);
    expect([status, stderr]).toEqual([1, expect.stringContaining('The registry has no digest of ')]);
    expect(readFileSync(join(folder, 'Dockerfile'), 'utf8')).toBe(before);
  });

  const pin = (bin: string) =>
    spawnSync(process.execPath, [join(ROOT, 'scripts/supply-chain/pin-images.mjs'), folder], {
      encoding: 'utf8',
      env: { ...process.env, PATH: `${bin}:${process.env['PATH'] ?? ''}` },
    });
});
