import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';

/**
 * Plans a run: which test files run, and which of them run in one jest file.
 *
 * Jest gives each of its files a module registry of its own, so 200 files load the product 200 times. A group file requires
 * several test files and describes each under its path; they share one registry, and their hooks stay scoped to their block.
 * Trade-off: files of a group share the state of modules, and a group is the unit that a worker takes.
 *
 * The comment at the head of a file may hold:
 * - `@isolated`: the file runs in a registry of its own, because it spies on modules, replaces timers, or kills processes.
 * - `@long`: the file belongs to the long suite (`npm run test:long`), not to the everyday one (`npm test`).
 *
 * A single test, or a block of tests, belongs to the long suite when its title ends with `@long`.
 */

/** Seconds of each test file in its last run, by path and suite; `npm run test:times` writes them. */
const KEPT_TIMES = new URL('kept-times.json', import.meta.url);
/** Assumed seconds of a file without a kept time. */
const UNKNOWN_SECONDS = 3;
/** Groups for each worker in a run of many files. Fewer would not keep all workers busy to the end. */
const GROUPS_PER_WORKER = 3;
/** Shorter groups are merged, because each group needs three seconds of processor to load the product. */
const MIN_GROUP_SECONDS = 30;

const LONG = '@long';
/** Patterns of jest's `-t` for each suite. The block of a long file has the mark, too. */
const NAMES = { everyday: `^(?!.*${LONG})`, long: LONG, all: undefined };

/**
 * @param root the project's folder
 * @param chosen paths or parts of paths; none means all
 * @param suite `everyday`, `long` or `all`
 * @returns test files with their kept seconds and their marks
 */
export function selectFiles(root, chosen, suite) {
  const kept = readKeptTimes();
  return testFiles(root)
    .filter((file) => chosen.length === 0 || chosen.some((part) => file.includes(part)))
    .map((file) => ({ file, seconds: kept[suite]?.[file] ?? UNKNOWN_SECONDS, ...marksOf(join(root, file)) }))
    .filter(({ isLong, hasLong }) => (suite === 'long' ? isLong || hasLong : suite === 'all' || !isLong));
}

/** @returns the pattern of test names for jest's `-t`; none for the whole of both suites */
export function namesOf(suite) {
  return NAMES[suite];
}

/** @returns the group files, the longest first: `{ path, seconds }` */
export function writeGroups(root, folder, files, workers) {
  const isolated = files.filter((file) => file.isIsolated).map((file) => [file]);
  const shared = group(
    files.filter((file) => !file.isIsolated),
    workers,
  );
  return [...isolated, ...shared]
    .map((members, index) => ({
      path: writeGroup(root, folder, members, index),
      seconds: secondsOf(members),
    }))
    .sort((a, b) => b.seconds - a.seconds);
}

/** Stores the seconds of these files, and removes files that left the suite. */
export function keepTimes(root, suite, seconds) {
  const kept = readKeptTimes();
  const merged = { ...kept[suite], ...seconds };
  const ofSuite = selectFiles(root, [], suite).map(({ file }) => file);
  const sorted = ofSuite.filter((file) => file in merged).map((file) => [file, merged[file]]);
  writeFileSync(KEPT_TIMES, `${JSON.stringify({ ...kept, [suite]: Object.fromEntries(sorted) }, null, 2)}\n`);
}

/** @returns the test file that a describe block of that name stands for */
export function fileOfBlock(name) {
  return /^(test\/.*\.test\.ts)(?: @long)?$/.exec(name)?.[1];
}

function readKeptTimes() {
  return JSON.parse(readFileSync(KEPT_TIMES, 'utf8'));
}

function testFiles(root) {
  return readdirSync(join(root, 'test'), { recursive: true })
    .map((path) => `test/${path.split(sep).join('/')}`)
    .filter((path) => path.endsWith('.test.ts'))
    .sort();
}

function marksOf(path) {
  const text = readFileSync(path, 'utf8');
  const head = /^\/\*\*[^]*?\*\//.exec(text)?.[0] ?? '';
  return {
    isIsolated: head.includes('@isolated'),
    isLong: head.includes(LONG),
    hasLong: new RegExp(`${LONG}['"\`]`).test(text),
  };
}

/** Groups neighbours in the tree, because they load much the same modules. */
function group(files, workers) {
  const total = secondsOf(files);
  const share = Math.max(total / (workers * GROUPS_PER_WORKER), Math.min(MIN_GROUP_SECONDS, total / workers));
  const groups = [];
  let open = [];
  for (const file of files) {
    if (open.length > 0 && secondsOf([...open, file]) > share) {
      groups.push(open);
      open = [];
    }
    open.push(file);
  }
  if (open.length > 0) groups.push(open);
  return groups;
}

function secondsOf(files) {
  return files.reduce((sum, { seconds }) => sum + seconds, 0);
}

function writeGroup(root, folder, members, index) {
  const name = members[0].file
    .replace(/^test\//, '')
    .split('/')
    .slice(0, -1)
    .join('-');
  const path = join(folder, `${name}-${index}.test.js`);
  const blocks = members.map(({ file, isLong }) => {
    const block = JSON.stringify(isLong ? `${file} ${LONG}` : file);
    const from = JSON.stringify(join(root, file));
    return `describe(${block}, () => {
  try { require(${from}); } catch (error) { it('loads', () => { throw error; }); }
});`;
  });
  writeFileSync(path, `${blocks.join('\n')}\n`);
  return path;
}
