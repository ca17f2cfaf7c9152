import { randomBytes } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { identify, type ProcessIdentity, stillRuns } from './process-identity';

/**
 * What is known about an embedded server between two runs: its port, its process, and who keeps it.
 * Written whole (temporary name, then rename) and readable by its owner only: it may hold a password.
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

/** Replaces the file in one step. */
export const writeState = (path: string, state: object): Promise<void> =>
  replaceFile(path, `${JSON.stringify(state, null, 2)}\n`);

/** The same of any content: whoever reads it finds all of the old one, or all of the new one. */
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

/** The running process as the keeper of a server. */
export async function ownIdentity(): Promise<ProcessIdentity> {
  return (await identify(process.pid)) ?? { pid: process.pid, startedAt: '' };
}

/**
 * Two processes must not keep one server: the first to stop would take it from the other.
 * @throws Error naming the process that keeps it
 */
export async function refuseOtherKeeper(keeper: ProcessIdentity | undefined, dataDir: string): Promise<void> {
  if (keeper && keeper.pid !== process.pid && (await stillRuns(keeper))) {
    throw new Error(
      `Another process (${keeper.pid}) already runs on ${dataDir}. Stop it, or set DATA_DIR to another folder.`,
    );
  }
}
