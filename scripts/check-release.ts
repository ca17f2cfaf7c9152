import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { currentRelease } from './release/current';
import { MIGRATIONS } from './release/migrations';
import { withCommit } from './unpack-commit';

/**
 * Checks that the previous release works on the new schema, because both run side by side during a rollout (expand,
 * then contract). Runs the hot-path tests of that release (`.ci/release.json`) with the migrations and the migrator of
 * this one: `node scripts/run.mjs scripts/check-release.ts`.
 *
 * The list names only tests that read or write what a migration may change. A test of that release cannot be fixed any
 * more, so one flaky test (of Temporal's schedules, say) would block every change.
 */

const ROOT = join(__dirname, '..');
/** The migrator, with which the release's tests make their databases. */
const MIGRATOR = 'src/kernel/db/migrate.ts';

async function main(): Promise<number> {
  const release = currentRelease();
  if (release === null) {
    console.log('skipped: no release, or its commit is not in the history of this checkout');
    return 0;
  }
  return withCommit(release.commit, (folder) => {
    for (const path of [MIGRATIONS, MIGRATOR])
      cpSync(join(ROOT, path), join(folder, path), { recursive: true });
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
