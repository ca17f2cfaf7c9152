import { lstat, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Writes a new file, whose content is on disk when this returns. */
export async function writeOnDisk(path: string, content: string | Buffer): Promise<void> {
  const file = await open(path, 'wx', 0o640);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A file's name is an entry of its folder, which must be on disk too. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

/** Deletes the older files of a folder. Another process may do so at the same time. */
export async function deleteOlder(
  folder: string,
  before: Date,
  isMeant: (name: string) => boolean = () => true,
): Promise<void> {
  for (const name of (await readdir(folder)).filter(isMeant)) {
    const stat = await unlessMissing(lstat(join(folder, name)));
    if (stat?.isFile() && stat.mtime < before) await rm(join(folder, name), { force: true });
  }
}

/** A name that is too long has no file either: that of the signature beside a file with the longest name. */
export const isMissing = (error: unknown): boolean =>
  ['ENOENT', 'ENAMETOOLONG'].includes((error as NodeJS.ErrnoException).code ?? '');

export async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
