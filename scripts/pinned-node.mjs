import { spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';

// The lock pins Node itself, as a package for each platform that has one. npm puts `node_modules/.bin` first on the PATH of its
// scripts, so `node` there is the pinned one. Only the first start of a fresh copy begins under another Node, which installs the
// packages. That process then starts itself again under the pinned Node, and hands on its signals and its end.

/** First Node that runs the product where no pinned one is installed. */
const OLDEST = [22, 13];
const PARENT_MS = 1_000;

/**
 * Continues under the pinned Node.
 * @returns whether this process is the right one. Otherwise another has done all work, and `process.exitCode` is its own
 */
export async function runsUnderPinnedNode(root) {
  const bin = join(root, 'node_modules', '.bin');
  const pinned = join(bin, 'node');
  if (!existsSync(pinned)) return isNew(process.versions.node) || refuse();
  if (realpathSync(pinned) === realpathSync(process.execPath)) return true;
  const child = spawn(pinned, [...process.execArgv, ...process.argv.slice(1)], {
    stdio: 'inherit',
    env: { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH ?? ''}` },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  const parent = process.ppid;
  const orphaned = setInterval(() => process.ppid !== parent && child.kill('SIGHUP'), PARENT_MS);
  process.exitCode = await new Promise((resolve) => {
    child.once('error', (error) => {
      console.error(`The pinned Node does not run: ${error.message}`);
      resolve(1);
    });
    child.once('close', (code) => resolve(code ?? 1));
  });
  clearInterval(orphaned);
  return false;
}

function isNew(version) {
  const [major, minor] = version.split('.').map(Number);
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

function refuse() {
  const where = `${process.platform}-${process.arch}`;
  console.error(
    `Cardwright needs Node ${OLDEST.join('.')} or newer on ${where}; this is ${process.version}. See https://nodejs.org`,
  );
  process.exitCode = 1;
  return false;
}
