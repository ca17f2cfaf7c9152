import { randomBytes } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { identify, type ProcessIdentity, stillRuns } from './process-identity';

/**
 * State of an embedded server between two runs: port, process and keeper. The file is replaced atomically and readable
 * by its owner only, because it may hold a password.
 */
export async function readState<T>(path: string): Promise<T | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(
      `${path} cannot be read (${(error as Error).message}); repair it or remove ${dirname(path)}.`,
    );
  }
}

/** Replaces the file atomically. */
export const writeState = (path: string, state: object): Promise<void> =>
  replaceFile(path, `${JSON.stringify(state, null, 2)}\n`);

/** Replaces a file atomically: a reader sees the whole old or the whole new content. */
export async function replaceFile(path: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${path}.${randomBytes(4).toString('hex')}`;
  try {
    await writeFile(temporary, content, { mode: 0o600 });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Identity of the running process, to register it as keeper. */
export async function ownIdentity(): Promise<ProcessIdentity> {
  return (await identify(process.pid)) ?? { pid: process.pid, startedAt: '' };
}

/**
 * Refuses a second keeper, because the first to stop would take the server from the other.
 * @throws Error naming the process that keeps the server
 */
export async function refuseOtherKeeper(keeper: ProcessIdentity | undefined, dataDir: string): Promise<void> {
  if (keeper && keeper.pid !== process.pid && (await stillRuns(keeper))) {
    throw new Error(
      `Another process (${keeper.pid}) already runs on ${dataDir}. Stop it, or set DATA_DIR to another folder.`,
    );
  }
}
