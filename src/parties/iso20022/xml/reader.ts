import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { FileFaultCode } from '../messages/fault';
import { MESSAGE_KINDS, type MessageKind, namespaceOf } from '../messages/kinds';
import type { XmlNode } from './tree';

/** A document that its published schema allows; or why it cannot be read, without content of the file. */
export type ReadResult = { kind: MessageKind; tree: XmlNode } | { fault: FileFaultCode; detail: string };

export interface XmlReader {
  /** Parses a file and validates it by the schema of its namespace. */
  read(bytes: Buffer): Promise<ReadResult>;
  close(): Promise<void>;
}

/** Longest reading of a file. A file of {@link MAX_FILE_BYTES} takes some seconds. */
const TIMEOUT_MS = 60_000;
/** Size of the largest file that is read. A statement of ten thousand entries has about ten megabytes. */
export const MAX_FILE_BYTES = 16 * 1024 * 1024;

const FOLDER = join(__dirname, '..', 'schemas');

interface Waiting {
  done(result: ReadResult): void;
}

/**
 * Reads files in a thread, which starts with the first one. The thread has no file but the schemas, and a file that
 * takes too long or kills the thread is refused alone.
 */
export function createXmlReader(timeoutMs = TIMEOUT_MS): XmlReader {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | undefined;
  let last = 0;

  function start(): Worker {
    const messages = Object.fromEntries(MESSAGE_KINDS.map((kind) => [namespaceOf(kind), kind]));
    const made = new Worker(join(__dirname, 'worker.mjs'), {
      workerData: { folder: FOLDER, messages },
      execArgv: [],
    });
    made.on('message', ({ id, result }: { id: number; result: ReadResult }) => end(made, id, result));
    made.on('error', () => endAll(made));
    made.on('exit', () => endAll(made));
    return made;
  }

  function end(from: Worker, id: number, result: ReadResult): void {
    waiting.get(id)?.done(result);
    waiting.delete(id);
    // An idle thread must not keep the process alive.
    if (waiting.size === 0) from.unref();
  }

  function endAll(from: Worker): void {
    if (worker !== from) return;
    worker = undefined;
    for (const { done } of waiting.values()) done({ fault: 'unreadable', detail: '' });
    waiting.clear();
  }

  function readNow(bytes: Buffer): Promise<ReadResult> {
    if (bytes.length > MAX_FILE_BYTES) return Promise.resolve({ fault: 'too_large', detail: '' });
    const thread = (worker ??= start());
    last += 1;
    const id = last;
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        waiting.delete(id);
        // The next file gets a new thread, because this one takes a moment to end.
        if (worker === thread) worker = undefined;
        void thread.terminate();
        resolve({ fault: 'too_slow', detail: '' });
      }, timeoutMs);
      const done = (result: ReadResult) => {
        clearTimeout(timer);
        resolve(result);
      };
      waiting.set(id, { done });
      thread.ref();
      thread.postMessage({ id, bytes });
    });
  }

  // Files are read one by one, so that no file waits within the time limit of another.
  let before: Promise<unknown> = Promise.resolve();
  return {
    read(bytes) {
      const result = before.then(() => readNow(bytes));
      before = result.catch(() => undefined);
      return result;
    },
    async close() {
      await worker?.terminate();
    },
  };
}
