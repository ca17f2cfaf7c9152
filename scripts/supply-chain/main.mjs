import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { faultsIn } from './check.mjs';
import { ROOT } from './lock.mjs';

/**
 * `npm run supply-chain` checks hashes, licences and images, asks for known weaknesses, and writes the bill of materials to
 * `dist/bom.cdx.json`. `--publish` demands a digest of every image. Another folder as argument is only checked. Weaknesses are told
 * and fail nothing, because they appear without a change of this repository, and because the registry may be out of reach.
 */

const AUDIT_MS = 60_000;
const BOM_BYTES = 64 * 2 ** 20;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { publish: { type: 'boolean', default: false } },
});
const [folder] = positionals;
const faults = faultsIn(folder ?? ROOT, values.publish);
for (const fault of faults) console.error(fault);
console.log(
  faults.length > 0 ? `${faults.length} faults` : 'Hashes, licences and images are as they should be',
);
if (faults.length > 0) process.exitCode = 1;
if (folder === undefined) {
  tellWeaknesses();
  writeBom();
}

function npm(...args) {
  const options = { cwd: ROOT, encoding: 'utf8', timeout: AUDIT_MS, maxBuffer: BOM_BYTES };
  return spawnSync('npm', args, { ...options, shell: process.platform === 'win32' });
}

function tellWeaknesses() {
  const { stdout } = npm('audit', '--json', '--omit=dev', '--package-lock-only');
  const { vulnerabilities } = parsed(stdout);
  if (!vulnerabilities) return console.log('npm audit could not be asked');
  const found = Object.values(vulnerabilities);
  console.log(`npm audit: ${found.length} packages of production with a known weakness`);
  for (const { name, severity, range } of found) console.log(`  ${severity}: ${name} ${range}`);
}

function writeBom() {
  const { stdout, stderr } = npm(
    'sbom',
    '--sbom-format=cyclonedx',
    '--sbom-type=application',
    '--omit=dev',
    '--package-lock-only',
  );
  const { components } = parsed(stdout);
  if (!components) {
    console.error(`The bill of materials could not be made: ${stderr}`);
    process.exitCode = 1;
    return;
  }
  mkdirSync(join(ROOT, 'dist'), { recursive: true });
  writeFileSync(join(ROOT, 'dist/bom.cdx.json'), stdout);
  console.log(`dist/bom.cdx.json: ${components.length} packages of production (CycloneDX)`);
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
