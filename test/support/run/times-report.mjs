import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fileOfBlock, keepTimes } from './plan.mjs';

/**
 * `npm run test:times -- [--suite=long] [paths]` runs the everyday suite or the long one. It stores the time of each
 * file for the next plan, and prints the times by phase. `--read=FILE` prints an earlier measurement and runs nothing.
 *
 * All figures are seconds. `wait` is wall time in which the worker's process did nothing. `children` is the processor
 * time of ended programs that the file started. `databases` and `servers` are wall time of creating them.
 */

const root = fileURLToPath(new URL('../../..', import.meta.url));
const COLUMNS = [
  'wall',
  'processor',
  'children',
  'loading',
  'hooks',
  'tests',
  'wait',
  'databases',
  'servers',
];
const SHOWN_FILES = 40;

const given = process.argv.slice(2);
const read = given.find((argument) => argument.startsWith('--read='))?.slice('--read='.length);
if (read) print(read);
else process.exitCode = measure(given);

function measure(options) {
  const folder = mkdtempSync(join(tmpdir(), 'cardwright-times-'));
  const path = join(folder, 'times.jsonl');
  const began = performance.now();
  const { status } = spawnSync(process.execPath, [join(root, 'test/support/run/main.mjs'), ...options], {
    stdio: 'inherit',
    env: { ...process.env, TEST_TIMES: path },
  });
  const wall = (performance.now() - began) / 1000;
  const processor = childrenSeconds();
  const files = print(path);
  console.log(
    `\n${wall.toFixed(0)} s of wall, ${processor.toFixed(0)} s of processor on ${availableParallelism()} cores; ` +
      `yardstick ${yardstick().toFixed(2)} s`,
  );
  keepTimes(
    root,
    suiteOf(options),
    Object.fromEntries(files.map(({ file, hooks, tests }) => [file, round(hooks + tests)])),
  );
  rmSync(folder, { recursive: true, force: true });
  return status ?? 1;
}

function print(path) {
  const all = linesOf(path).map(figuresOf);
  const files = all.filter(({ file }) => fileOfBlock(file));
  const others = all.filter(({ file }) => !fileOfBlock(file) && !file.endsWith('.test.js'));
  files.sort((a, b) => b.wall - a.wall);
  const total = { file: `all ${files.length} files` };
  for (const column of COLUMNS) total[column] = files.reduce((sum, file) => sum + file[column], 0);
  console.log(`\n${COLUMNS.map((column) => column.padStart(9)).join(' ')}  file`);
  for (const line of [total, ...others, ...files.slice(0, SHOWN_FILES)]) {
    console.log(`${COLUMNS.map((column) => line[column].toFixed(1).padStart(9)).join(' ')}  ${line.file}`);
  }
  return files;
}

function linesOf(path) {
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

function figuresOf({ file, phases, waited }) {
  const sum = (key) => Object.values(phases).reduce((all, phase) => all + phase[key], 0) / 1000;
  const wallOf = (phase) => (phases[phase]?.wall ?? 0) / 1000;
  return {
    file,
    wall: sum('wall'),
    processor: sum('processor'),
    children: sum('children'),
    loading: wallOf('loading'),
    hooks: wallOf('hooks'),
    tests: wallOf('tests'),
    wait: Math.max(0, sum('wall') - sum('processor')),
    databases: (waited.databases ?? 0) / 1000,
    servers: (waited.servers ?? 0) / 1000,
  };
}

/**
 * Returns the seconds of fixed work: reading and writing a JSON document 50,000 times. Machines differ by a factor of
 * two, and so does one machine within minutes. An empty loop is no measure, because it can take ten times as long in
 * one process as in the next.
 */
function yardstick() {
  const document = JSON.stringify(
    Array.from({ length: 50 }, (_, index) => ({ id: `acc_${index}`, amount: '1.00' })),
  );
  const began = performance.now();
  for (let index = 0; index < 50_000; index += 1) JSON.stringify(JSON.parse(document));
  return (performance.now() - began) / 1000;
}

/** Returns the processor time of all ended children of this process (Linux only). */
function childrenSeconds() {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1).split(' ');
    return (Number(fields[13]) + Number(fields[14])) / 100;
  } catch {
    return Number.NaN;
  }
}

function round(seconds) {
  return Math.round(seconds * 10) / 10;
}

function suiteOf(options) {
  return options.find((one) => one.startsWith('--suite='))?.split('=')[1] ?? 'everyday';
}
