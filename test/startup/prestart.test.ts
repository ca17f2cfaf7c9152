/** @isolated starts processes and kills them. */
import { type ChildProcess, spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/servers';
import { until } from '../support/until';

/** Runs `scripts/prestart.mjs` in a temporary folder, with a fake npm that ends on a signal file. */

const SCRIPTS = join(__dirname, '../../scripts');
const NPM = `
const { appendFileSync, existsSync, mkdirSync, rmSync, writeFileSync } = require('node:fs');
appendFileSync('installs', process.pid + '\\n');
rmSync('node_modules', { recursive: true, force: true });
setInterval(() => {
  if (existsSync('fail') || !existsSync('installs')) process.exit(1); // the test has ended
  if (!existsSync('finish')) return;
  mkdirSync('node_modules', { recursive: true });
  writeFileSync('node_modules/.package-lock.json', '{"packages":{}}');
  process.exit(0);
}, 5);
`;

let folder: string;
const started = new Set<ChildProcess>();
const file = (name: string) => join(folder, name);
/** The process ids of the installations so far. */
const installs = (): number[] =>
  existsSync(file('installs')) ? readFileSync(file('installs'), 'utf8').trim().split('\n').map(Number) : [];
const tickets = () => readdirSync(folder).filter((name) => name.startsWith('.installing'));

beforeEach(() => {
  folder = temporaryFolder('prestart');
  cpSync(SCRIPTS, file('scripts'), { recursive: true, filter: (path) => !path.endsWith('.ts') });
  mkdirSync(file('npm'));
  writeFileSync(file('npm/npm.js'), NPM);
  writeFileSync(file('package-lock.json'), '{"packages":{}}');
});

afterEach(() => {
  for (const child of started) child.kill('SIGKILL');
  writeFileSync(file('fail'), '');
  rmSync(folder, { recursive: true, force: true });
});

function prestart() {
  const child = spawn(process.execPath, [file('scripts/prestart.mjs')], {
    env: { PATH: process.env['PATH'], npm_execpath: file('npm/npm.js') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.add(child);
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  const ended = new Promise<number | string | null>((resolve) =>
    child.once('close', (code, signal) => {
      started.delete(child);
      resolve(code ?? signal);
    }),
  );
  return { child, text: () => text, ended };
}

/** Starts two processes: the first installs, the second waits. */
async function firstAndSecond() {
  const first = prestart();
  await until(() => installs().length === 1);
  const second = prestart();
  await until(() => second.text().includes('\n'));
  expect(second.text()).toBe(
    `Process ${first.child.pid} is installing the packages; waiting until it has ended\n`,
  );
  return { first, second };
}

it('installs once for two consecutive starts: the second waits with one line of output, and continues', async () => {
  const { first, second } = await firstAndSecond();
  writeFileSync(file('finish'), '');
  expect([await first.ended, await second.ended, installs().length]).toEqual([0, 0, 1]);
  expect(second.text().trim().split('\n')).toHaveLength(1);
  expect(tickets()).toEqual([]);
});

it('installs once for six simultaneous starts', async () => {
  writeFileSync(file('finish'), '');
  const all = Array.from({ length: 6 }, prestart);
  expect(await Promise.all(all.map(({ ended }) => ended))).toEqual([0, 0, 0, 0, 0, 0]);
  expect([installs().length, tickets()]).toEqual([1, []]);
});

it('lets the second process install when the first failed', async () => {
  const { first, second } = await firstAndSecond();
  writeFileSync(file('fail'), '');
  expect(await first.ended).toBe(1);
  rmSync(file('fail'));
  writeFileSync(file('finish'), '');
  expect([await second.ended, installs().length, tickets()]).toEqual([0, 2, []]);
});

it('takes over from a killed process after the npm that it left behind has ended', async () => {
  const { first, second } = await firstAndSecond();
  first.child.kill('SIGKILL');
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect([installs().length, second.child.exitCode]).toEqual([1, null]);
  process.kill(installs()[0] ?? 0, 'SIGKILL');
  await until(() => installs().length === 2);
  writeFileSync(file('finish'), '');
  expect([await second.ended, tickets()]).toEqual([0, []]);
});

it('ignores a ticket whose process id belongs to a later process', async () => {
  writeFileSync(file(`.installing-${process.pid}-1`), '');
  writeFileSync(file('finish'), '');
  const run = prestart();
  expect([await run.ended, tickets()]).toEqual([0, []]);
  expect(run.text()).not.toContain('waiting');
});

describe('the pinned Node', () => {
  /** Installs, and puts a program where npm puts the pinned Node. */
  async function pin(program: string): Promise<void> {
    writeFileSync(file('finish'), '');
    expect(await prestart().ended).toBe(0);
    mkdirSync(file('node_modules/.bin'), { recursive: true });
    writeFileSync(file('node_modules/.bin/node'), `#!/bin/sh\n${program}\n`, { mode: 0o755 });
  }

  it('goes on with the script, first on the PATH, and tells its end', async () => {
    await pin('echo "$1, found as $(command -v node)"; exit 7');
    const run = prestart();
    expect(await run.ended).toBe(7);
    const bin = file('node_modules/.bin/node');
    expect(run.text()).toBe(`${file('scripts/prestart.mjs')}, found as ${bin}\n`);
  });

  it('gets the signals of the process that started it', async () => {
    await pin("trap 'echo stopped; exit 3' TERM; echo ready; while :; do sleep 0.05; done");
    const run = prestart();
    await until(() => run.text().includes('ready'));
    run.child.kill('SIGTERM');
    expect(await run.ended).toBe(3);
    expect(run.text()).toBe('ready\nstopped\n');
  });

  it('is not needed where this process is it', async () => {
    await pin('exit 7');
    rmSync(file('node_modules/.bin/node'));
    symlinkSync(process.execPath, file('node_modules/.bin/node'));
    expect(await prestart().ended).toBe(0);
  });
});
