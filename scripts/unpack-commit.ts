import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(__dirname, '..');

/** @returns whether earlier commits can be unpacked: the checkout is a repository and not shallow */
export function hasHistory(): boolean {
  const { stdout } = spawnSync('git', ['rev-parse', '--is-shallow-repository'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return stdout.trim() === 'false';
}

/**
 * Runs `work` in a temporary folder with the files and packages of an earlier commit.
 * @returns the result of `work`
 * @throws Error when the commit or its packages cannot be fetched
 */
export async function withCommit<T>(commit: string, work: (folder: string) => T | Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'cardwright-commit-'));
  try {
    chmodSync(folder, 0o755); // Postgres may run as another user
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

/** Links this checkout's packages when both lock files are equal. Otherwise installs the commit's own. */
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
