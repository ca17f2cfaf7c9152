import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { installInto } from '../src/startup/embedded/tool-cache';

const ROOT = join(__dirname, '..');

/**
 * Folders with the product of another commit, or with a changed copy of this checkout. `start` of `test/startup/process.ts` and
 * `Fleet.another` of `test/support/product.ts` start roles from such a folder, so that two versions run side by side:
 *
 * ```ts
 * const release = await unpackCommit('22b684f9');
 * const old = await fleet.another('api', { folder: release.folder, environment: { PORT: '8081' } });
 * …
 * release.remove();
 * ```
 */
export interface Unpacked {
  /** Root of the product: holds `src/main.ts` and `node_modules`. */
  folder: string;
  remove(): void;
}

/** @returns arguments that let Node load the TypeScript of a folder. Earlier commits use a package for it. */
export const typescriptOf = (folder: string): readonly string[] =>
  existsSync(join(folder, 'scripts/typescript.cjs'))
    ? ['--require', './scripts/typescript.cjs']
    : ['--import', 'tsx'];

/** @returns whether earlier commits can be unpacked: the checkout is a repository and not shallow */
export function hasHistory(): boolean {
  const { stdout } = spawnSync('git', ['rev-parse', '--is-shallow-repository'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return stdout.trim() === 'false';
}

/**
 * Unpacks the files of an earlier commit into a temporary folder, with its packages. Packages of another lock file are
 * installed once for each user.
 * @throws Error when the commit or its packages cannot be fetched
 */
export function unpackCommit(commit: string): Promise<Unpacked> {
  return inFolder((folder) => {
    const archive = execFileSync('git', ['archive', '--format=tar', commit], {
      cwd: ROOT,
      maxBuffer: 2 ** 30,
    });
    execFileSync('tar', ['-x', '-C', folder], { input: archive });
  });
}

/** Copies the files of this checkout that git would commit into a temporary folder, with its packages. */
export function copyCheckout(): Promise<Unpacked> {
  return inFolder((folder) => {
    const names = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    for (const name of names.split('\0'))
      if (name !== '' && existsSync(join(ROOT, name))) cpSync(join(ROOT, name), join(folder, name));
  });
}

/** Runs `work` in the folder of {@link unpackCommit}, and removes the folder. */
export async function withCommit<T>(commit: string, work: (folder: string) => T | Promise<T>): Promise<T> {
  const { folder, remove } = await unpackCommit(commit);
  try {
    return await work(folder);
  } finally {
    remove();
  }
}

async function inFolder(fill: (folder: string) => void): Promise<Unpacked> {
  const folder = mkdtempSync(join(tmpdir(), 'cardwright-commit-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    chmodSync(folder, 0o755); // Postgres may run as another user
    fill(folder);
    symlinkSync(await packagesOf(folder), join(folder, 'node_modules'));
    return { folder, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** The files that determine packages. */
const PACKAGE_FILES = ['package.json', 'package-lock.json', '.npmrc'];

/** @returns this checkout's packages when both lock files are equal, otherwise the commit's own */
async function packagesOf(folder: string): Promise<string> {
  const lock = (root: string) => readFileSync(join(root, 'package-lock.json'), 'utf8');
  const ours = join(ROOT, 'node_modules');
  if (lock(folder) === lock(ROOT) && existsSync(ours)) return ours;
  const name = `packages-${createHash('sha256').update(lock(folder)).digest('hex').slice(0, 16)}`;
  const cache = ownCache();
  const place = existsSync(join(cache, name))
    ? join(cache, name)
    : await installInto(cache, name, async (fresh) => {
        chmodSync(fresh, 0o755);
        for (const file of PACKAGE_FILES) copyFileSync(join(folder, file), join(fresh, file));
        const { status } = spawnSync('npm', ['ci', '--include=dev', '--no-audit', '--no-fund'], {
          cwd: fresh,
          stdio: 'inherit',
        });
        if (status !== 0) throw new Error(`npm ci failed for the packages of ${folder}`);
      });
  return join(place, 'node_modules');
}

/**
 * The user's folder of packages. It lies beside the temporary folders, because Postgres may run as another user, who cannot enter
 * the home of this one.
 */
function ownCache(): string {
  const { uid, username } = userInfo();
  const cache = join(tmpdir(), `cardwright-packages-${username}`);
  mkdirSync(cache, { recursive: true });
  const found = lstatSync(cache);
  if (!found.isDirectory() || (uid >= 0 && found.uid !== uid))
    throw new Error(`${cache} belongs to another user`);
  chmodSync(cache, 0o755);
  return cache;
}
