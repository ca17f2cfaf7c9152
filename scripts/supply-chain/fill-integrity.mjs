import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { LOCK, lockedPackages } from './lock.mjs';

// `node scripts/supply-chain/fill-integrity.mjs` asks the registry for the hashes that package-lock.json lacks. npm leaves them out
// for packages of other platforms, which it has never downloaded.

const AT_ONCE = 4;

const run = promisify(execFile);
const lock = JSON.parse(readFileSync(LOCK, 'utf8'));
const missing = lockedPackages(lock).filter(({ integrity }) => !integrity);
await Promise.all(Array.from({ length: AT_ONCE }, work));
writeFileSync(LOCK, `${JSON.stringify(lock, null, 2)}\n`);

async function work() {
  for (let next = missing.pop(); next; next = missing.pop()) {
    const { path, name, version } = next;
    const { stdout } = await run('npm', ['view', `${name}@${version}`, 'dist.integrity']);
    const integrity = stdout.trim();
    if (!/^sha512-/.test(integrity)) throw new Error(`The registry has no hash of ${name}@${version}.`);
    const { version: first, ...rest } = lock.packages[path];
    lock.packages[path] = { version: first, integrity, ...rest };
    console.log(`${name}@${version}`);
  }
}
