import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { Content } from '../../kernel/wire/file-type';
import { DocumentsAway, type SealedStore } from './port';

/** How much of a file is read at a time. */
const READ_BYTES = 256 * 1024;

/**
 * Stores sealed bytes as files, with a sub-folder for each tenant. A file gets its name only when it is complete and on
 * disk. Writes and deletions survive a loss of power.
 */
export function createFolderStore(folder: string): SealedStore {
  const pathOf = (name: string) => join(folder, name);
  return {
    put: (name, sealed) => away(() => write(pathOf(name), sealed)),
    get: (name) =>
      away(async () => {
        try {
          const file = await open(pathOf(name));
          return file.createReadStream({ highWaterMark: READ_BYTES });
        } catch (error) {
          if (isMissing(error)) return undefined;
          throw error;
        }
      }),
    delete: (name) =>
      away(async () => {
        await rm(pathOf(name), { force: true });
        await syncFolder(dirname(pathOf(name)));
      }),
    list: () => away(() => filesBelow(folder)),
  };
}

async function write(path: string, content: Content): Promise<void> {
  const folder = dirname(path);
  await makeFolder(folder);
  const fresh = `${path}.${randomUUID()}.tmp`;
  try {
    const file = await open(fresh, 'wx', 0o600);
    try {
      for await (const bytes of content.read()) await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(fresh, path);
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
  await syncFolder(folder);
}

/** Syncs the parent of each new folder, because the folder is an entry there. */
async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made));
}

/** Syncs a folder, because a file's name is an entry of it. Windows has no such call and needs none. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  try {
    const handle = await open(folder, 'r');
    await handle.sync().finally(() => handle.close());
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** The whole files below a folder with their lengths, by their paths within it. A folder that does not exist has none. */
export async function filesBelow(folder: string): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  for (const entry of entries) {
    if (!entry.isFile() || entry.name.endsWith('.tmp')) continue;
    const path = join(entry.parentPath, entry.name);
    const { size } = await stat(path).catch(() => ({ size: undefined })); // deleted meanwhile
    if (size !== undefined) found.set(relative(folder, path), size);
  }
  return found;
}

async function away<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new DocumentsAway(error);
  }
}

const isMissing = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT';
