import type { Writable } from 'node:stream';

/**
 * Output that cannot be written is lost, and is no reason to end: the reader of the pipe has gone (`npm start | head`),
 * the terminal is closed, the disk that the log goes to is full. Without this, Node ends the process at the first line,
 * and what the process keeps running (Postgres, Temporal) is left behind. To be called before anything is written.
 */
export function outliveOutput(streams: readonly Writable[] = [process.stdout, process.stderr]): void {
  for (const stream of streams) stream.on('error', () => undefined);
}

/**
 * For a command that has nothing to do but tell: whether there is still somebody to read it.
 * @returns aborted when the reader of the stream has gone
 */
export function readerGone(stream: Writable = process.stdout): AbortSignal {
  const gone = new AbortController();
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') gone.abort();
  });
  return gone.signal;
}
