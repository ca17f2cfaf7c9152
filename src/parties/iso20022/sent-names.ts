import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The names of orders in files that were placed, kept beside the files for a week. A database that has lost its last
 * commits knows neither an order nor its file any more. The order then comes again, and must not be sent again.
 */
export interface SentNames {
  /** Notes the orders of a file, on disk when it returns. Called before the file is placed. */
  note(messageId: string, names: readonly string[]): Promise<void>;
  /** The names of the last week. */
  all(): Promise<ReadonlySet<string>>;
  /** Whether a file's orders are noted. Another folder, such as one that is not mounted, lacks the note. */
  has(messageId: string): Promise<boolean>;
  forget(before: Date): Promise<void>;
}

const FOLDER = 'sent';

export function openSentNames(folder: string): SentNames {
  const path = (name = '') => join(folder, FOLDER, name);
  /** Files are never changed, so each is read once. */
  const known = new Map<string, readonly string[]>();

  async function read(): Promise<string[]> {
    await mkdir(path(), { recursive: true, mode: 0o770 });
    return (await readdir(path())).filter((name) => !name.startsWith('.'));
  }

  return {
    async note(messageId, names) {
      await mkdir(path(), { recursive: true, mode: 0o770 });
      const temporary = path(`.${messageId}.part`);
      const file = await open(temporary, 'w', 0o640);
      try {
        await file.writeFile(names.join('\n'));
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(temporary, path(messageId));
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
      for (const name of await read())
        if ((await stat(path(name))).mtime < before) await rm(path(name), { force: true });
    },
  };
}
