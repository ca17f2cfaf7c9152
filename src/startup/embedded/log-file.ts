import { openSync, renameSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';

/** Log of the embedded servers, a subset of pino's logger. */
export interface EmbeddedLog {
  info(message: string): void;
  warn(message: string): void;
}

/** Shows one line to a waiting person. */
export type OnProgress = (line: string) => void;

const ROTATE_BYTES = 10 * 1024 * 1024;

/**
 * Opens a server's log for appending. A large log is renamed to `….1` first. The server writes to the file itself, so
 * that it survives a killed parent without a broken pipe.
 * @returns file descriptor, which the caller closes after the spawn
 */
export function openLogFile(path: string): number {
  try {
    if (statSync(path).size > ROTATE_BYTES) renameSync(path, `${path}.1`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return openSync(path, 'a', 0o600);
}

/** The last lines of a log, for the message of a failed start. */
export async function lastLines(path: string, count = 15): Promise<string> {
  const file = await open(path, 'r').catch(() => undefined);
  if (!file) return '(no log)';
  try {
    const { size } = await file.stat();
    const length = Math.min(size, 16 * 1024);
    const { buffer } = await file.read({ buffer: Buffer.alloc(length), position: size - length });
    return buffer.toString('utf8').trimEnd().split('\n').slice(-count).join('\n');
  } finally {
    await file.close();
  }
}
