import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Runs `scripts/typescript.cjs` in a folder of its own. */

const ROOT = join(__dirname, '../..');
const SOURCE = ['interface Given {', '  text: string;', '}', '', 'export const say = ({ text }: Given) => {'];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cardwright-typescript-'));
  mkdirSync(join(folder, 'scripts'));
  for (const name of ['typescript.cjs', 'compiler.json'])
    cpSync(join(ROOT, 'scripts', name), join(folder, 'scripts', name));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'main.ts'), "import { say } from './say';\nsay({ text: 'it' });\n");
  says('console.log(`${text} works`);');
});
afterEach(() => {
  chmodSync(folder, 0o755);
  rmSync(folder, { recursive: true });
});

const compiled = () => join(folder, 'dist/compiled/say.ts.js');
const says = (line: string) =>
  writeFileSync(join(folder, 'say.ts'), [...SOURCE, `  ${line}`, '};', ''].join('\n'));

function run(): { stdout: string; stderr: string } {
  const args = ['--require', './scripts/typescript.cjs', 'main.ts'];
  return spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
}

it('keeps a compiled file, and compiles a changed one again', () => {
  expect(run().stdout).toBe('it works\n');
  const kept = readFileSync(compiled(), 'utf8');
  expect(run().stdout).toBe('it works\n');
  expect(readFileSync(compiled(), 'utf8')).toBe(kept);
  says('console.log(`${text} has changed`);');
  expect(run().stdout).toBe('it has changed\n');
});

it('runs the kept file, and compiles one again that was cut off', () => {
  run();
  const kept = readFileSync(compiled(), 'utf8');
  writeFileSync(compiled(), kept.replace(' works', ' was kept'));
  expect(run().stdout).toBe('it was kept\n');
  writeFileSync(compiled(), kept.slice(0, -10));
  expect(run().stdout).toBe('it works\n');
});

it('names the lines of the sources in a stack, of a fresh and of a kept file', () => {
  says('throw new Error(text);');
  for (const _ of ['fresh', 'kept']) {
    expect(run().stderr).toMatch(/at say \(\S*\/say\.ts:6:9\)\n\s+at \S+ \(\S*\/main\.ts:2:\d+\)/);
  }
});

it('works where nothing can be written', () => {
  writeFileSync(join(folder, 'dist'), 'no folder');
  expect(run()).toMatchObject({ stdout: 'it works\n', stderr: '' });
});
