import { createHash } from 'node:crypto';
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { FileSum } from './manifest';

const PORTION_BYTES = 1024 * 1024;

/**
 * Copies a file and waits until it is on disk. The copy is readable by its owner only.
 * @returns length and SHA-256 of the written bytes; undefined where the source does not exist any more
 */
export async function copySummed(from: string, to: string): Promise<Omit<FileSum, 'path'> | undefined> {
  const source = await open(from).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (!source) return undefined;
  try {
    await mkdir(dirname(to), { recursive: true, mode: 0o700 });
    const target = await open(to, 'w', 0o600);
    try {
      const hash = createHash('sha256');
      const buffer = Buffer.allocUnsafe(PORTION_BYTES);
      let bytes = 0;
      for (;;) {
        const { bytesRead } = await source.read(buffer, 0, PORTION_BYTES, bytes);
        if (bytesRead === 0) break;
        const portion = buffer.subarray(0, bytesRead);
        hash.update(portion);
        await target.write(portion);
        bytes += bytesRead;
      }
      await target.sync();
      return { bytes, sha256: hash.digest('hex') };
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** Length and SHA-256 of a text. */
export const sumOf = (text: string): Omit<FileSum, 'path'> => ({
  bytes: Buffer.byteLength(text),
  sha256: createHash('sha256').update(text).digest('hex'),
});
