import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { LOCK, lockedPackages } from './lock.mjs';

// `node scripts/supply-chain/fill-lock.mjs` asks the registry for the hashes and licences that package-lock.json lacks. npm leaves
// them out for packages of other platforms, which it has never downloaded.

const AT_ONCE = 4;

const run = promisify(execFile);
const lock = JSON.parse(readFileSync(LOCK, 'utf8'));
const missing = lockedPackages(lock).filter(({ integrity, license }) => !integrity || !license);
await Promise.all(Array.from({ length: AT_ONCE }, work));
writeFileSync(LOCK, `${JSON.stringify(lock, null, 2)}\n`);

async function work() {
  for (let next = missing.pop(); next; next = missing.pop()) {
    const { path, name, version } = next;
    const { stdout } = await run('npm', [
      'view',
      '--json',
      `${name}@${version}`,
      'dist.integrity',
      'license',
    ]);
    const told = JSON.parse(stdout);
    // npm tells a bare value where only one of the two exists.
    const { 'dist.integrity': hash, license } = typeof told === 'string' ? { 'dist.integrity': told } : told;
    if (!/^sha512-/.test(hash)) throw new Error(`The registry has no hash of ${name}@${version}.`);
    const { version: first, integrity: _, optional, os, ...rest } = lock.packages[path];
    lock.packages[path] = { version: first, integrity: hash, ...rest, ...(license ? { license } : {}) };
    Object.assign(lock.packages[path], optional ? { optional } : {}, os ? { os } : {});
    console.log(`${name}@${version}`);
  }
}
