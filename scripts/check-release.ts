import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Expand, then contract: while a release is rolled out, processes of the one before run on the new schema. Runs the
 * tests of the hot path of that release (`.ci/release.json`) with the migrations of this one, applied by this one's
 * migrator, as they will be: `node --import tsx scripts/check-release.ts`.
 *
 * They are named so narrowly that each one reads or writes what a migration may change: a test of that release cannot be
 * mended any more, and one that fails by itself now and then (of Temporal's schedules, say) would stop every landing.
 */

const ROOT = join(__dirname, '..');
const MIGRATIONS = join(ROOT, 'src/kernel/db/migrations');
const MIGRATOR = join(ROOT, 'src/kernel/db/migrate.ts');

interface Release {
  commit: string;
  /** Folder of its migrations. */
  migrations: string;
  /** File of its migrator. */
  migrator: string;
  /** Folders or files of its tests that must pass: those that concern the schema. */
  tests: string[];
}

function main(): number {
  const release = JSON.parse(readFileSync(join(ROOT, '.ci/release.json'), 'utf8')) as Release | null;
  if (release === null) {
    console.log('skipped: no release');
    return 0;
  }
  if (git('rev-parse', '--is-shallow-repository') !== 'false') {
    console.log('skipped: this checkout has no history');
    return 0;
  }
  const folder = mkdtempSync(join(tmpdir(), 'cardwright-release-'));
  try {
    chmodSync(folder, 0o755); // Postgres may run as a user of its own
    unpack(release.commit, folder);
    install(folder);
    cpSync(MIGRATIONS, join(folder, release.migrations), { recursive: true });
    cpSync(MIGRATOR, join(folder, release.migrator));
    return run('npm', ['test', '--', ...release.tests], folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What git answers; nothing where it fails, as outside of a repository. */
function git(...args: string[]): string {
  return spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' }).stdout.trim();
}

function unpack(commit: string, folder: string): void {
  const archive = execFileSync('git', ['archive', '--format=tar', commit], { cwd: ROOT, maxBuffer: 2 ** 30 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
}

/** Its own packages, unless they are the same as ours. */
function install(folder: string): void {
  const lock = (root: string) => readFileSync(join(root, 'package-lock.json'), 'utf8');
  const ours = join(ROOT, 'node_modules');
  if (lock(folder) === lock(ROOT) && existsSync(ours)) symlinkSync(ours, join(folder, 'node_modules'));
  else if (run('npm', ['ci', '--include=dev', '--no-audit', '--no-fund'], folder) !== 0)
    throw new Error('the packages of the release could not be installed');
}

function run(command: string, args: string[], cwd: string): number {
  return spawnSync(command, args, { cwd, stdio: 'inherit' }).status ?? 1;
}

process.exitCode = main();
