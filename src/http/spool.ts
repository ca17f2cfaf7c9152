import { createCipheriv, randomBytes, randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unavailable } from '../kernel/errors';

/** How much of a spooled file is read at a time. */
const READ_BYTES = 256 * 1024;

/**
 * Received bytes on disk, until the request ends. The file has no name, so that it is gone when the process dies. It is
 * encrypted under a key in memory, so that the disk keeps nothing readable.
 */
export interface Spool {
  write(bytes: Buffer): Promise<void>;
  /** Reads from the beginning. May be called again. */
  read(): AsyncIterable<Buffer>;
  close(): Promise<void>;
}

/** Opens a spool in the system's folder for temporary files. @throws Problem 503 when the disk refuses */
export async function createSpool(): Promise<Spool> {
  const file = await orUnavailable(openUnnamed);
  const key = randomBytes(32);
  // The key is of this file alone, so the counter begins at zero.
  const cipher = () => createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
  const writing = cipher();
  return {
    write: (bytes) => orUnavailable(() => file.writeFile(writing.update(bytes))),
    async *read() {
      const reading = cipher(); // counter mode opens as it seals
      const buffer = Buffer.allocUnsafe(READ_BYTES);
      for (let position = 0; ; ) {
        const { bytesRead } = await file.read(buffer, 0, READ_BYTES, position);
        if (bytesRead === 0) return;
        position += bytesRead;
        yield reading.update(buffer.subarray(0, bytesRead));
      }
    },
    close: () => file.close(),
  };
}

async function openUnnamed(): Promise<FileHandle> {
  const path = join(tmpdir(), `cardwright-upload-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  await rm(path);
  return file;
}

/** A full disk, or a folder that cannot be written. */
async function orUnavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch {
    throw unavailable('The upload could not be stored just now. Nothing was recorded.');
  }
}
