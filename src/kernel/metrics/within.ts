import { setTimeout as sleep } from 'node:timers/promises';

/** @returns the result of the work, or undefined after so many milliseconds, when the work goes on unobserved */
export async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  const over = new AbortController();
  const tired = sleep(ms, undefined, { signal: over.signal, ref: false }).catch(() => undefined);
  try {
    return await Promise.race([work, tired]);
  } finally {
    over.abort();
  }
}
