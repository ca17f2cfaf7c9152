import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import '../../../scripts/prestart.mjs';
import { namesOf, selectFiles, writeGroups } from './plan.mjs';

/**
 * `npm test -- [paths] [options of jest]` runs test files in groups (plan.mjs). `--suite=long` runs the long suite, and
 * `--suite=all` runs both.
 */

const root = fileURLToPath(new URL('../../..', import.meta.url));
/** One worker more than cores, because a file that waits for a server or kills a process uses half a core. */
const WORKERS = availableParallelism() + 1;

const { chosen, suite, options } = parse(process.argv.slice(2));
const files = selectFiles(root, chosen, suite);
if (files.length === 0) {
  console.error(`No test file of the ${suite} suite matches ${chosen.join(' ')}`);
  process.exit(1);
}
const folder = mkdtempSync(join(realpathSync(tmpdir()), 'cardwright-tests-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const inBand = options.some((option) => ['-i', '--runInBand'].includes(option));
const groups = writeGroups(root, folder, files, inBand ? 1 : WORKERS);
process.env.TEST_PLAN = JSON.stringify(
  Object.fromEntries(groups.map(({ path, seconds }) => [path, seconds])),
);

const { run } = await import('jest');
const names = namesOf(suite);
const roots = [join(root, 'test'), folder].flatMap((path) => ['--roots', path]);
const paths = groups.map(({ path }) => path);
await run(
  [
    ...(inBand ? [] : [`--maxWorkers=${WORKERS}`]),
    ...roots,
    ...(names === undefined ? [] : [`--testNamePattern=${names}`]),
    ...options,
    '--runTestsByPath',
    ...paths,
  ],
  root,
);

/** Passes options to jest unchanged. Other arguments are paths, except the value of `-t`. */
function parse(given) {
  const chosen = [];
  const options = [];
  let suite = 'everyday';
  for (let index = 0; index < given.length; index += 1) {
    const argument = given[index];
    if (argument.startsWith('--suite=')) suite = argument.slice('--suite='.length);
    else if (argument === '-t') {
      options.push(`--testNamePattern=${given[++index]}`);
      suite = 'all'; // a name selects tests of both suites
    } else if (argument.startsWith('-')) options.push(argument);
    else chosen.push(argument.replace(/^\.?\//, ''));
  }
  return { chosen, suite, options };
}
