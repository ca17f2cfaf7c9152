import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { enter, leave, takeTurn } from './install-turn.mjs';
import { runsUnderPinnedNode } from './pinned-node.mjs';

// Runs before `npm start`, `npm test` and the like, with only Node. Checks Node's version, installs the packages when
// they are missing or differ from package-lock.json, and continues under the pinned Node. A second process waits during
// an installation and then uses it. A closed pipe does not stop the script.

/** First Node that installs the packages. */
const OLDEST = [20, 19];
const SHOW_EVERY_MS = 10_000;

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const lockPath = join(root, 'package-lock.json');
const installedPath = join(root, 'node_modules', '.package-lock.json');
const stampPath = join(root, 'node_modules', '.cardwright-installed');

for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
checkNode();
const stamp = lockStamp();
if (!isStamped(stamp)) {
  await takeTurn(root);
  if (!isStamped(stamp)) {
    if (!matchesLock()) await install();
    writeFileSync(stampPath, stamp);
  }
  leave();
}
if (!(await runsUnderPinnedNode(root))) process.exit();

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return;
  fail(
    `Cardwright needs Node ${OLDEST.join('.')} or newer; this is ${process.version}. See https://nodejs.org`,
  );
}

/** The lock's content and the platform of the packages, because node_modules may have been copied here. */
function lockStamp() {
  const hash = createHash('sha256').update(readFileSync(lockPath)).digest('hex');
  return `${hash} ${process.platform}-${process.arch}\n`;
}

function isStamped(wanted) {
  return existsSync(installedPath) && existsSync(stampPath) && readFileSync(stampPath, 'utf8') === wanted;
}

/** A user may have run npm. Its own record of node_modules shows whether the packages match the lock. */
function matchesLock() {
  if (!existsSync(installedPath) || stampedElsewhere()) return false;
  const wanted = JSON.parse(readFileSync(lockPath, 'utf8')).packages;
  const installed = JSON.parse(readFileSync(installedPath, 'utf8')).packages;
  return Object.entries(wanted).every(([path, { version, integrity, optional, devOptional }]) => {
    const found = installed[path];
    if (path === '' || (!found && (optional || devOptional))) return true;
    return found?.version === version && found.integrity === integrity && existsSync(join(root, path));
  });
}

function stampedElsewhere() {
  const [, platform] = existsSync(stampPath) ? readFileSync(stampPath, 'utf8').trim().split(' ') : [];
  return platform !== undefined && platform !== `${process.platform}-${process.arch}`;
}

/**
 * Installs the exact tree of the lock with the npm that runs this script, including development packages whatever
 * NODE_ENV is.
 */
async function install() {
  console.log('Installing packages; the first time this takes a minute or two');
  const began = Date.now();
  const timer = setInterval(() => {
    console.log(`  still installing … ${Math.round((Date.now() - began) / 1000)} s`);
  }, SHOW_EVERY_MS);
  // npm would warn of each package that the Node of the installation is too old for. The packages run under the pinned one.
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  const options = ['ci', '--include=dev', '--include=optional', ...quiet];
  const npm = process.env.npm_execpath;
  const [command, args] = npm?.endsWith('.js') ? [process.execPath, [npm, ...options]] : ['npm', options];
  const shell = command === 'npm' && process.platform === 'win32';
  const code = await new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: 'inherit', shell });
    if (child.pid !== undefined) enter(root, child.pid); // npm continues when this process is killed
    child.once('error', (error) => {
      console.error(error.message);
      resolve(1);
    });
    child.once('close', (exitCode) => resolve(exitCode ?? 1));
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => child.kill(signal));
  });
  clearInterval(timer);
  if (code !== 0) fail('The packages could not be installed (see above). Check the network, then try again.');
  console.log(`Packages installed in ${Math.round((Date.now() - began) / 1000)} s`);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
