import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isLater } from '../workers/patches';
import { faultsOfMigrations, migrationHashes, RELEASED_FILE, releasedMigrations } from './release/migrations';

/**
 * Names a release: `npm run release -- 1.0.0`. Writes the version wherever it stands, the date into the changelog, the hashes of all
 * migrations, and `.ci/release.json`. The commit of these changes is the release. See docs/contributing.md, A release.
 */

const ROOT = join(__dirname, '..');

/**
 * Tests of the release that depend on the schema. CI runs them on the schema of each later change (scripts/check-release.ts). Tests that
 * wait for Temporal or for real time are left out, because a test of a release cannot be mended any more.
 */
const TESTS = [
  'test/accounts/accounts',
  'test/cards/events/batches',
  'test/cards/events/cases.test.ts',
  'test/cards/events/counted.test.ts',
  'test/kernel/ledger',
  'test/tenants/webhooks/events.test.ts',
  'test/tenants/webhooks/record.test.ts',
  'test/transfers/deposits/deposits-api.test.ts',
  'test/transfers/payouts/payouts-api.test.ts',
];

/** Files with the version, and how often it stands in their first lines. */
const PLACES: Readonly<Record<string, number>> = {
  'package.json': 1,
  'package-lock.json': 2,
  'client/package.json': 1,
  'deploy/helm/cardwright/Chart.yaml': 2,
};
/** Further down, the lock file has versions of packages. */
const FIRST_LINES = 12;

/**
 * Writes the version and the lists of the release.
 * @returns the written files
 * @throws Error with the reason; nothing is written then
 */
export function nameRelease(root: string, wanted: string, today: string): string[] {
  const path = (file: string) => join(root, file);
  const read = (file: string) => readFileSync(path(file), 'utf8');
  const { version } = JSON.parse(read('package.json')) as { version: string };
  assertNext(version, wanted);
  const hashes = migrationHashes(root);
  const faults = faultsOfMigrations(releasedMigrations(root), hashes);
  if (faults.length > 0) throw new Error(faults.join('\n'));

  const written = new Map<string, string>();
  for (const file of Object.keys(PLACES))
    if (existsSync(path(file))) written.set(file, withVersion(file, read(file), version, wanted));
  written.set('CHANGELOG.md', datedChangelog(read('CHANGELOG.md'), version, wanted, today));
  written.set(RELEASED_FILE, jsonOf(hashes));
  written.set('.ci/release.json', jsonOf({ version: wanted, tests: TESTS }));
  for (const [file, text] of written) writeFileSync(path(file), text);
  return [...written.keys()];
}

const jsonOf = (value: object): string => `${JSON.stringify(value, undefined, 2)}\n`;

function assertNext(version: string, wanted: string): void {
  if (!/^\d+\.\d+\.\d+$/.test(wanted)) throw new Error(`"${wanted}" is not a version such as 1.0.0`);
  const isCandidate = version.startsWith(`${wanted}-`);
  if (!isCandidate && !isLater(wanted, version)) throw new Error(`${wanted} is not later than ${version}`);
}

function withVersion(file: string, text: string, version: string, wanted: string): string {
  const lines = text.split('\n');
  const isPlace = (line: string, at: number) =>
    at < FIRST_LINES && /^\W*(appV|v)ersion\b/.test(line) && line.includes(version);
  const found = lines.filter(isPlace).length;
  if (found !== PLACES[file])
    throw new Error(`${file} has ${version} in ${found} places instead of ${PLACES[file]}`);
  return lines.map((line, at) => (isPlace(line, at) ? line.replace(version, wanted) : line)).join('\n');
}

/** The newest heading gets the version and the date. */
function datedChangelog(text: string, version: string, wanted: string, today: string): string {
  const heading = /^## \[[^\]]+\] - unreleased$/m;
  if (!heading.test(text)) throw new Error(`CHANGELOG.md lacks a heading "## [${version}] - unreleased"`);
  return text.replace(heading, `## [${wanted}] - ${today}`);
}

if (require.main === module) {
  try {
    const [wanted = ''] = process.argv.slice(2);
    const files = nameRelease(ROOT, wanted, new Date().toISOString().slice(0, 10));
    console.log(
      [
        `This checkout is ${wanted} now:`,
        ...files.map((file) => `  ${file}`),
        'Run "npm run document" and the tests, and read the changelog. Then commit, and tag the commit.',
      ].join('\n'),
    );
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}
