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
 * - `@long`: the file belongs to `npm run test:long`, not to `npm test`.
 */

/** Seconds that a test file took last time, by its path; `npm run test:times` writes it. */
const KEPT_TIMES = new URL('kept-times.json', import.meta.url);
/** For a file that has no kept time yet. */
const UNKNOWN_SECONDS = 3;
/** A run of many files is cut into so many groups a worker: fewer would not fill the workers evenly. */
const GROUPS_PER_WORKER = 4;
/** A group that takes less is not worth its own registry. */
const MIN_GROUP_SECONDS = 5;

/**
 * @param root the project's folder
 * @param chosen paths or parts of paths; none means all
 * @param suite `everyday` or `long`; a file that is named whole runs in either
 * @returns test files with their kept seconds, their marks and their place in the tree
 */
export function selectFiles(root, chosen, suite) {
  const kept = readKeptTimes();
  const isChosen = (file) => chosen.length === 0 || chosen.some((part) => file.includes(part));
  const isOfSuite = (file) => suite === 'all' || file.isLong === (suite === 'long');
  return testFiles(root)
    .filter(isChosen)
    .map((file) => ({ file, seconds: kept[file] ?? UNKNOWN_SECONDS, ...marksOf(join(root, file)) }))
    .filter((file) => isOfSuite(file) || chosen.includes(file.file));
}

/** @returns what jest runs, the longest first: `{ path, seconds }`, a test file or a group file in `folder` */
export function writeGroups(root, folder, files, workers) {
  const alone = files.filter((file) => file.isIsolated);
  const groups = group(files.filter((file) => !file.isIsolated), workers);
  const planned = [
    ...alone.map(({ file, seconds }) => ({ path: join(root, file), seconds })),
    ...groups.map((members, index) => ({
      path: writeGroup(root, folder, members, index),
      seconds: secondsOf(members),
    })),
  ];
  return planned.sort((a, b) => b.seconds - a.seconds);
}

/** Keeps the seconds of these files, and drops files that are gone. */
export function keepTimes(root, seconds) {
  const present = testFiles(root);
  const all = { ...readKeptTimes(), ...seconds };
  const sorted = present.filter((file) => file in all).map((file) => [file, all[file]]);
  writeFileSync(KEPT_TIMES, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
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
  const head = /^\s*\/\*\*[^]*?\*\//.exec(text)?.[0] ?? '';
  const has = (mark) => new RegExp(`@${mark}\\b`).test(head);
  return { isIsolated: has('isolated'), isLong: has('long') };
}

/** Neighbours in the tree come together, since they load much the same; a file above a group's share is alone. */
function group(files, workers) {
  const share = Math.max(MIN_GROUP_SECONDS, secondsOf(files) / (workers * GROUPS_PER_WORKER));
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
  const [{ file }] = members;
  if (members.length === 1) return join(root, file);
  const name = file.replace(/^test\//, '').split('/').slice(0, -1).join('-');
  const path = join(folder, `${name}-${index}.test.js`);
  const blocks = members.map(({ file }) => {
    const from = JSON.stringify(join(root, file));
    return `describe(${JSON.stringify(file)}, () => {
  try { require(${from}); } catch (error) { it('loads', () => { throw error; }); }
});`;
  });
  writeFileSync(path, `${blocks.join('\n')}\n`);
  return path;
}
