import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';

const LOOK_MS = 1_000;

export interface PresenceOptions {
  /** Why Temporal cannot be used, in one sentence. Undefined when it can. */
  absence(): Promise<string | undefined>;
  log: Logger;
  lookMs?: number;
}

export interface Presence {
  /**
   * Called after each call to Temporal without an answer. Logs one warning per absence and one line at its end.
   * @returns true when Temporal is away, false when only that call failed
   */
  missed(): Promise<boolean>;
  stop(): Promise<void>;
}

/** Logs when Temporal goes away and comes back, on behalf of all callers. */
export function createPresence({ absence, log, lookMs = LOOK_MS }: PresenceOptions): Presence {
  const stopping = new AbortController();
  let asking: Promise<boolean> | undefined;
  let waiting: Promise<void> | undefined;

  async function ask(): Promise<boolean> {
    const why = await absence();
    if (why === undefined) return false;
    log.warn(`${why} Committed commands wait until Temporal is back.`);
    waiting = untilBack();
    return true;
  }

  async function untilBack(): Promise<void> {
    do {
      await sleep(lookMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
    } while ((await absence()) !== undefined);
    waiting = undefined;
    log.info('Temporal is back');
  }

  return {
    async missed() {
      if (waiting || stopping.signal.aborted) return true;
      asking ??= ask().finally(() => {
        asking = undefined;
      });
      return asking;
    },
    async stop() {
      stopping.abort();
      await asking;
      await waiting;
    },
  };
}
