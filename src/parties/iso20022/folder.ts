import { createHash, randomUUID } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { chmod, lstat, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { deleteOlder, isMissing, syncFolder, unlessMissing, writeOnDisk } from './on-disk';
import { MAX_FILE_BYTES } from './xml/reader';

/** The sub-folders. `taken` and `refused` hold incoming files after they were looked at. */
export const SUBFOLDERS = ['outgoing', 'incoming', 'taken', 'refused'] as const;

export interface IncomingFile {
  name: string;
  size: number;
  modifiedAt: Date;
}

/** The folder that we share with the bank's transfer tool. */
export interface BankFolder {
  /** Complete and unfinished files, oldest first. Links, folders and hidden names are passed over. */
  incoming(): Promise<IncomingFile[]>;
  /** @returns undefined when the file is gone, because another process has taken it */
  read(name: string): Promise<Buffer | undefined>;
  /** SHA-256 of a file that is too large to be read whole. */
  hash(name: string): Promise<string | undefined>;
  /** Writes a file under a temporary name, on disk when it returns. @returns that name, which is never used again */
  stage(name: string, bytes: Buffer): Promise<string>;
  /** Gives a written file its name. @returns false when no file is written under the temporary name */
  place(stagedAs: string, name: string): Promise<boolean>;
  /** Removes a temporary file that nobody will place. */
  unstage(stagedAs: string): Promise<void>;
  /** Moves an incoming file and its signature. Nothing happens when it was moved already. */
  move(name: string, to: 'taken' | 'refused', hash: string): Promise<void>;
  /** Deletes taken files that are older. */
  forgetTaken(before: Date): Promise<void>;
  /** Deletes older temporary files, which killed processes have left. Called while no file waits for its name. */
  forgetStaged(before: Date): Promise<void>;
}

export const SIGNATURE = '.sig';

/** Longest part of a name that is kept, because a name has at most 255 bytes with what we add. */
const MAX_KEPT_BYTES = 200;

/** Our temporary names. */
const STAGED = /^\.CW.*\.part$/;

/** Names of files that a tool is still writing. */
const UNFINISHED = /^\.|\.(part|tmp|filepart)$/i;

/** Opens the folder, and makes the missing sub-folders. */
export function openBankFolder(folder: string): BankFolder {
  const path = (...names: string[]) => join(folder, ...names);
  let made: Promise<void> | undefined;

  /** Made again after a failure, because the folder may be mounted later. */
  async function ready(): Promise<void> {
    made ??= makeFolders(folder);
    try {
      await made;
    } catch (error) {
      made = undefined;
      throw error;
    }
  }

  return {
    async incoming() {
      await ready();
      const names = (await readdir(path('incoming'))).filter(
        (name) => !UNFINISHED.test(name) && !name.endsWith(SIGNATURE),
      );
      const found: IncomingFile[] = [];
      for (const name of names) {
        const stat = await unlessMissing(lstat(path('incoming', name)));
        if (stat?.isFile()) found.push({ name, size: stat.size, modifiedAt: stat.mtime });
      }
      return found.sort((one, other) => one.modifiedAt.getTime() - other.modifiedAt.getTime());
    },
    async read(name) {
      // A link is not followed, because it may lead out of the folder.
      const file = await unlessMissing(
        open(path('incoming', name), constants.O_RDONLY | constants.O_NOFOLLOW),
      );
      if (!file) return undefined;
      try {
        // A file that has grown since it was listed would fill the memory.
        const { size } = await file.stat();
        return size > MAX_FILE_BYTES ? undefined : await file.readFile();
      } finally {
        await file.close();
      }
    },
    async hash(name) {
      const hash = createHash('sha256');
      try {
        for await (const part of createReadStream(path('incoming', name))) hash.update(part as Buffer);
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
      return hash.digest('hex');
    },
    async stage(name, bytes) {
      await ready();
      const stagedAs = `.${name}.${randomUUID()}.part`;
      await writeOnDisk(path('outgoing', stagedAs), bytes);
      await syncFolder(path('outgoing'));
      return stagedAs;
    },
    async place(stagedAs, name) {
      await ready();
      try {
        await rename(path('outgoing', stagedAs), path('outgoing', name));
      } catch (error) {
        if (isMissing(error)) return false;
        throw error;
      }
      await syncFolder(path('outgoing'));
      return true;
    },
    unstage: (stagedAs) => rm(path('outgoing', stagedAs), { force: true }),
    async move(name, to, hash) {
      // With the hash, so that another file of the same name is not overwritten.
      const target = `${hash.slice(0, 12)}-${Buffer.from(name).subarray(0, MAX_KEPT_BYTES).toString()}`;
      await unlessMissing(rename(path('incoming', name), path(to, target)));
      await unlessMissing(rename(path('incoming', name + SIGNATURE), path(to, target + SIGNATURE)));
      await syncFolder(path(to));
    },
    async forgetTaken(before) {
      await ready();
      await deleteOlder(path('taken'), before);
    },
    async forgetStaged(before) {
      await ready();
      await deleteOlder(path('outgoing'), before, (name) => STAGED.test(name));
    },
  };
}

/** The rights that the transfer tool needs as another user of the group: to remove our files, and to write the bank's. */
const OF_GROUP = 0o770;

/** A folder that exists keeps its rights, because an operator may have chosen them. */
async function makeFolders(folder: string): Promise<void> {
  for (const name of SUBFOLDERS) {
    const path = join(folder, name);
    if ((await mkdir(path, { recursive: true, mode: OF_GROUP })) === undefined) continue;
    // The process's umask has taken rights. A bit that hands the group down stays.
    await chmod(path, (await stat(path)).mode | OF_GROUP);
  }
}
