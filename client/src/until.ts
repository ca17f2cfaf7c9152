import { setTimeout as sleep } from 'node:timers/promises';

export interface Waiting {
  /** Time limit in milliseconds. Default: 60,000. */
  patienceMs?: number;
  /** Pause between two reads, in milliseconds. Default: 250. */
  pauseMs?: number;
  signal?: AbortSignal;
}

/**
 * Reads a record until it fulfils the condition. A webhook tells the same earlier; `wait` of a request spares the first
 * reads.
 * @example await until(() => client.getCard({ path: { id } }), ({ status }) => status !== 'pending');
 * @throws Error with the last record at the time limit
 */
export async function until<Record>(
  read: () => Promise<Record>,
  isDone: (record: Record) => boolean,
  { patienceMs = 60_000, pauseMs = 250, signal }: Waiting = {},
): Promise<Record> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    signal?.throwIfAborted();
    const record = await read();
    if (isDone(record)) return record;
    if (performance.now() > deadline)
      throw new Error(`Waited in vain, the last is ${JSON.stringify(record)}`);
    await sleep(pauseMs, undefined, signal && { signal });
  }
}
