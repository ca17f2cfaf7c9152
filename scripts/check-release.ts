import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasHistory, withCommit } from './unpack-commit';

/**
 * Checks that the previous release works on the new schema, because both run side by side during a rollout (expand,
 * then contract). Runs the hot-path tests of that release (`.ci/release.json`) with the migrations and the migrator of
 * this one: `node --import tsx scripts/check-release.ts`.
 *
 * The list names only tests that read or write what a migration may change. A test of that release cannot be fixed any
 * more, so one flaky test (of Temporal's schedules, say) would block every change.
 */

const ROOT = join(__dirname, '..');
const MIGRATIONS = join(ROOT, 'src/kernel/db/migrations');
const MIGRATOR = join(ROOT, 'src/kernel/db/migrate.ts');

interface Release {
  commit: string;
  /** Folder of the release's migrations. */
  migrations: string;
  /** File of the release's migrator. */
  migrator: string;
  /** Folders or files of the release's tests that depend on the schema. All must pass. */
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
