import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../db/database';
import { lookoutOf } from '../db/lookout';
import { StartupError } from '../startup-error';
import { KEYS_SIGN, type OpenedKeyring } from './installation-keys';

/** How often a process looks whether its keys are still the installation's. */
export const REFRESH_MS = 5_000;

/** After a failure, so that a process seals again soon after the database has come back. */
const AGAIN_MS = 500;

/** Follows renewals of the installation's keys until it is stopped. From now on, only a fresh keyring seals. */
export function keepKeyring(
  keyring: OpenedKeyring,
  database: Database,
  log: Logger,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  keyring.demandFresh();
  async function follow(): Promise<void> {
    const { value, at } = await lookoutOf(database).seen(KEYS_SIGN);
    if (!keyring.confirm(value, at)) await keyring.refresh();
  }
  const ended = (async () => {
    const { signal } = stopping;
    for (let pause = REFRESH_MS; ; ) {
      await sleep(pause, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      const failure = await follow().then(
        () => undefined,
        (error: Error) => error,
      );
      // Told once for all failures in a row.
      if (failure && pause !== AGAIN_MS)
        log.warn(
          { reason: failure instanceof StartupError ? failure.message : failure.name },
          "the installation's keys cannot be read: after half a minute nothing is sealed",
        );
      pause = failure ? AGAIN_MS : REFRESH_MS;
    }
  })();
  return {
    stop: () => {
      stopping.abort();
      return ended;
    },
  };
}
