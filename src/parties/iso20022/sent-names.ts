import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { deleteOlder, syncFolder, writeOnDisk } from './on-disk';

/**
 * The names of orders in files that were placed, kept beside the files for a week. A database that has lost its last
 * commits knows neither an order nor its file any more. The order then comes again, and must not be sent again.
 */
export interface SentNames {
  /** Notes the orders of a file, on disk when it returns. Called before the file is placed. */
  note(messageId: string, names: readonly string[]): Promise<void>;
  /** The names of the last week. */
  all(): Promise<ReadonlySet<string>>;
  /** Whether a file's orders are noted. The note is missing in any other folder, such as an empty mount point. */
  has(messageId: string): Promise<boolean>;
  forget(before: Date): Promise<void>;
}

const FOLDER = 'sent';

export function openSentNames(folder: string): SentNames {
  const path = (name = '') => join(folder, FOLDER, name);
  /** Files are never changed, so each is read once. */
  const known = new Map<string, readonly string[]>();

  const ready = () => mkdir(path(), { recursive: true, mode: 0o770 });

  async function read(): Promise<string[]> {
    await ready();
    return (await readdir(path())).filter((name) => !name.startsWith('.'));
  }

  return {
    async note(messageId, names) {
      await ready();
      // A name of its own, because several processes may note the same file.
      const temporary = path(`.${messageId}.${randomUUID()}.part`);
      await writeOnDisk(temporary, names.join('\n'));
      await rename(temporary, path(messageId));
      await syncFolder(path());
    },
    async all() {
      const present = new Set(await read());
      for (const name of known.keys()) if (!present.has(name)) known.delete(name);
      for (const name of present)
        if (!known.has(name)) known.set(name, (await readFile(path(name), 'utf8')).split('\n'));
      return new Set([...known.values()].flat());
    },
    has: async (messageId) => (await read()).includes(messageId),
    async forget(before) {
      await ready();
      await deleteOlder(path(), before); // with the temporary files that killed processes have left
    },
  };
}
