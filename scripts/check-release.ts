import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasHistory, withCommit } from './unpack-commit';

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

async function main(): Promise<number> {
  const release = JSON.parse(readFileSync(join(ROOT, '.ci/release.json'), 'utf8')) as Release | null;
  if (release === null) {
    console.log('skipped: no release');
    return 0;
  }
  if (!hasHistory()) {
    console.log('skipped: this checkout has no history');
    return 0;
  }
  return withCommit(release.commit, (folder) => {
    cpSync(MIGRATIONS, join(folder, release.migrations), { recursive: true });
    cpSync(MIGRATOR, join(folder, release.migrator));
    const { status } = spawnSync('npm', ['test', '--', ...release.tests], { cwd: folder, stdio: 'inherit' });
    return status ?? 1;
  });
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  },
);
