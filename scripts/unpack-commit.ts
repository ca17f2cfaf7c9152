import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(__dirname, '..');

/** @returns whether earlier commits can be unpacked: this checkout is a repository, and not a shallow one */
export function hasHistory(): boolean {
  const { stdout } = spawnSync('git', ['rev-parse', '--is-shallow-repository'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return stdout.trim() === 'false';
}

/**
 * Runs `work` in a temporary folder that holds the files of an earlier commit and its packages.
 * @returns what `work` returns
 * @throws Error when the commit or its packages are out of reach
 */
export async function withCommit<T>(commit: string, work: (folder: string) => T | Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'cardwright-commit-'));
  try {
    chmodSync(folder, 0o755); // Postgres may run as a user of its own
    const archive = execFileSync('git', ['archive', '--format=tar', commit], {
      cwd: ROOT,
      maxBuffer: 2 ** 30,
    });
    execFileSync('tar', ['-x', '-C', folder], { input: archive });
    installPackages(folder);
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Links this checkout's packages where both lock files are the same, and installs the commit's own otherwise. */
function installPackages(folder: string): void {
  const lock = (root: string) => readFileSync(join(root, 'package-lock.json'), 'utf8');
  const ours = join(ROOT, 'node_modules');
  if (lock(folder) === lock(ROOT) && existsSync(ours)) {
    symlinkSync(ours, join(folder, 'node_modules'));
    return;
  }
  const { status } = spawnSync('npm', ['ci', '--include=dev', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error(`npm ci failed for the packages of ${folder}`);
}
