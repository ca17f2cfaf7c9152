import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { Database } from './database';
import { isPooled } from './session-settings';

/**
 * A call wakes the lookouts of other processes at once, instead of within two seconds. Nothing depends on it: it may be lost, and a pooler
 * in transaction mode carries none.
 */
const CHANNEL = 'cardwright_written';
/** While a process writes more often than this, the others look often by themselves. */
const QUIET_MS = 1_000;
const AGAIN_MS = 30_000;
const CONNECT_MS = 5_000;

const writtenAt = new WeakMap<Database, number>();

/** Calls the other processes after a commit, when this process has not written for a second. Outside of any transaction. */
export function callOthers(database: Database): void {
  const now = performance.now();
  const last = writtenAt.get(database) ?? Number.NEGATIVE_INFINITY;
  writtenAt.set(database, now);
  if (now - last < QUIET_MS) return;
  database.query(`select pg_notify('${CHANNEL}', '')`).catch(() => undefined);
}

/**
 * Hears calls until it is stopped, on a connection of its own that sends no statement while it waits. Behind PgBouncer nothing is heard,
 * because the session would be another process's next.
 * @param heard called for each call
 */
export function hearOthers(
  { url, name }: { url: string; name: string },
  heard: () => void,
): { stop(): Promise<void> } {
  if (isPooled(url)) return { stop: async () => undefined };
  const stopping = new AbortController();
  const { signal } = stopping;

  async function listen(): Promise<void> {
    const client = new Client({
      connectionString: url,
      application_name: name,
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
    });
    const ended = new Promise<void>((resolve) => {
      client.once('end', resolve);
      client.on('error', () => resolve());
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    client.on('notification', heard);
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
      await ended;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  const hearing = (async () => {
    while (!signal.aborted) {
      await listen().catch(() => undefined);
      await sleep(AGAIN_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  })();
  return {
    stop() {
      stopping.abort();
      return hearing;
    },
  };
}
