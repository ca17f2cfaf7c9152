import { access, chmod, constants, mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { StartupError } from './startup-error';

const OWNER_ONLY = 0o700;

/**
 * Creates the folder of a setting, and its parents, readable by their owner only. An existing folder stays as it is.
 * @throws StartupError in one sentence when the folder cannot be used
 */
export async function makeFolder(setting: string, path: string): Promise<void> {
  const folder = resolve(path);
  const refuse = (what: string) => {
    throw new StartupError(`${setting}: ${what}. Name a folder that this user may write to.`);
  };
  // One by one, because Node's recursive mkdir never ends below /proc.
  for (const part of await missing(folder)) {
    await mkdir(part, { mode: OWNER_ONLY }).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST' && (await isThere(part))) return; // another process created it first
      refuse(
        error.code === 'ENOTDIR'
          ? `${dirname(part)} is not a folder`
          : `${part} cannot be created (${error.code})`,
      );
    });
  }
  if (!(await stat(folder)).isDirectory()) refuse(`${folder} is not a folder`);
  await access(folder, constants.W_OK | constants.X_OK).catch((error: NodeJS.ErrnoException) =>
    refuse(`${folder} cannot be written to (${error.code})`),
  );
}

/** The folder and its parents that do not exist, outermost first. */
async function missing(folder: string): Promise<string[]> {
  if (await isThere(folder)) return [];
  const above = dirname(folder);
  return above === folder ? [] : [...(await missing(above)), folder];
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Closes our folder to other users. A folder of root stays passable for the group that Postgres runs under. */
export async function closeFolder(folder: string): Promise<void> {
  const { mode, uid, gid } = await stat(folder);
  const own = process.getuid?.();
  if (own === undefined || uid !== own) return;
  const kept = own === 0 && gid !== 0 ? 0o710 : OWNER_ONLY;
  if ((mode & 0o777 & ~kept) !== 0) await chmod(folder, (mode & kept) | OWNER_ONLY);
}
