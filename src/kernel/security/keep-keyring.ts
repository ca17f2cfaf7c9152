import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { StartupError } from '../startup-error';
import type { OpenedKeyring } from './installation-keys';

/** How often a process reads the keys again. */
export const REFRESH_MS = 5_000;

/** After a failure, so that a process seals again soon after the database has come back. */
const AGAIN_MS = 500;

/** Follows renewals of the installation's keys until it is stopped. From now on, only a fresh keyring seals. */
export function keepKeyring(keyring: OpenedKeyring, log: Logger): { stop(): Promise<void> } {
  const stopping = new AbortController();
  keyring.demandFresh();
  const ended = (async () => {
    const { signal } = stopping;
    for (let pause = REFRESH_MS; ; ) {
      await sleep(pause, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      const failure = await keyring.refresh().then(
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
