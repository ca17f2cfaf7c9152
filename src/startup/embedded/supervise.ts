import { setTimeout as sleep } from 'node:timers/promises';
import type { EmbeddedLog } from './log-file';

const LOOK_MS = 250;
const RETRY_MS = 1_000;

/** A server that is started again when it dies. */
export interface Supervised {
  /** Stops looking; the server itself is left alone. Resolves when no restart is under way. */
  end(): Promise<void>;
}

/**
 * Looks four times a second whether a server lives and starts it again when it does not. Looking at the
 * process instead of waiting for a child's exit works for a server that was taken over, too.
 */
export function supervise(
  name: string,
  server: { lives(): Promise<boolean>; restart(): Promise<void> },
  log: EmbeddedLog,
): Supervised {
  const ending = new AbortController();
  const loop = (async () => {
    while (!ending.signal.aborted) {
      const waitMs = (await look(name, server, log)) ? LOOK_MS : RETRY_MS;
      await sleep(waitMs, undefined, { signal: ending.signal, ref: false }).catch(() => undefined);
    }
  })();
  return {
    end: () => {
      ending.abort();
      return loop;
    },
  };
}

/** @returns false when a restart was tried and failed */
async function look(
  name: string,
  server: { lives(): Promise<boolean>; restart(): Promise<void> },
  log: EmbeddedLog,
): Promise<boolean> {
  if (await server.lives()) return true;
  log.warn(`${name} has died; it is started again`);
  try {
    await server.restart();
    log.info(`${name} is back`);
    return true;
  } catch (error) {
    log.warn(`${name} could not be started again: ${(error as Error).message}`);
    return false;
  }
}
