import { setTimeout as sleep } from 'node:timers/promises';
import type { EmbeddedLog } from './log-file';

const LOOK_MS = 250;
const RETRY_MS = 1_000;

export interface Repeated {
  /** Resolves when no turn is under way or will begin. */
  end(): Promise<void>;
}

/**
 * Repeats a turn until it is ended. Does not keep the process alive.
 * @param turn returns the milliseconds to wait; must not throw; ends a wait of its own when the signal aborts
 */
export function repeatedly(turn: (signal: AbortSignal) => Promise<number>): Repeated {
  const ending = new AbortController();
  const loop = (async () => {
    while (!ending.signal.aborted) {
      const waitMs = await turn(ending.signal);
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

/**
 * Checks four times a second whether a server lives, and restarts it otherwise. Polling the process also works for a
 * server that was taken over. After its end the server itself is left alone.
 */
export function supervise(
  name: string,
  server: { lives(): Promise<boolean>; restart(): Promise<void> },
  log: EmbeddedLog,
): Repeated {
  return repeatedly(async () => ((await look(name, server, log)) ? LOOK_MS : RETRY_MS));
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
