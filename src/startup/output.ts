import type { Writable } from 'node:stream';

/**
 * Ignores errors of output, because they are no reason to end: the pipe's reader has gone (`npm start | head`), the
 * terminal was closed, the disk is full. Otherwise Node ends the process at the first line and leaves embedded servers
 * behind. Call it before any output.
 */
export function outliveOutput(streams: readonly Writable[] = [process.stdout, process.stderr]): void {
  for (const stream of streams) stream.on('error', () => undefined);
}

/**
 * For commands that only print: ends them when nobody reads.
 * @returns aborted when the stream's reader has gone
 */
export function readerGone(stream: Writable = process.stdout): AbortSignal {
  const gone = new AbortController();
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') gone.abort();
  });
  return gone.signal;
}
