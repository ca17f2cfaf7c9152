import { mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { makeFolder } from '../../kernel/folders';
import type { OnProgress } from './log-file';

/** Programs that are downloaded once per user instead of once per data folder. */

export interface ToolContext {
  /** PATH, proxies and the variables that name a program (TEMPORAL_CLI_PATH, TEMPORAL_TEST_SERVER_PATH). */
  environment: NodeJS.ProcessEnv;
  /** See {@link defaultCacheDir}. */
  cacheDir: string;
  onProgress?: OnProgress;
  /** Called when the program must be downloaded or built, which may take minutes. */
  onFetch?: () => void;
  /** Whether a program may be downloaded or built (default). A live installation fetches none. */
  mayFetch?: boolean;
}

/** One way to find a program: returns its path, or undefined after adding a reason to `reasons`. */
export type Way = (reasons: string[]) => Promise<string | undefined>;

/** The user's cache folder of this product: in XDG_CACHE_HOME, else the platform's cache folder. */
export function defaultCacheDir(environment: NodeJS.ProcessEnv, platform = process.platform): string {
  const home = environment.HOME ?? environment.USERPROFILE ?? homedir();
  if (environment.XDG_CACHE_HOME) return join(environment.XDG_CACHE_HOME, 'cardwright');
  if (platform === 'darwin') return join(home, 'Library', 'Caches', 'cardwright');
  if (platform === 'win32') {
    return join(environment.LOCALAPPDATA ?? join(home, 'AppData', 'Local'), 'cardwright', 'cache');
  }
  return join(home, '.cache', 'cardwright');
}

/**
 * Fills a folder of the cache under a temporary name and renames it, so that parallel runs see all of it or nothing. An
 * earlier folder is replaced. A folder that another run has put there meanwhile is kept.
 * @param fill writes into the given folder
 * @returns final path of the folder
 */
export async function installInto(
  cacheDir: string,
  name: string,
  fill: (folder: string) => Promise<void>,
): Promise<string> {
  await makeFolder('XDG_CACHE_HOME', cacheDir);
  const place = join(cacheDir, name);
  const before = await inode(place);
  const fresh = await mkdtemp(join(cacheDir, `.${name}-`));
  const old = `${fresh}-old`;
  try {
    await fill(fresh);
    if (before !== undefined && (await inode(place)) === before) {
      await rename(place, old).catch(() => undefined);
    }
    await rename(fresh, place).catch((error: NodeJS.ErrnoException) => {
      if (!['ENOTEMPTY', 'EEXIST', 'EPERM'].includes(error.code ?? '')) throw error;
    });
    return place;
  } finally {
    await Promise.all([fresh, old].map((folder) => rm(folder, { recursive: true, force: true })));
  }
}

/** Distinguishes a folder from a later one of the same name. */
async function inode(path: string): Promise<bigint | undefined> {
  return (await stat(path, { bigint: true }).catch(() => undefined))?.ino;
}

/** Tries each way in turn. @throws Error that lists why each failed and ends with `advice` */
export async function firstOf(what: string, ways: readonly Way[], advice: string): Promise<string> {
  const reasons: string[] = [];
  for (const way of ways) {
    const found = await way(reasons);
    if (found !== undefined) return found;
  }
  throw new Error(`${what} was not found and could not be fetched:\n  ${reasons.join('\n  ')}\n${advice}`);
}
