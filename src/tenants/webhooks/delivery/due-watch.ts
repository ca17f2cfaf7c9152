import { eventsCommitted } from '../../../kernel/outbox/events';

/** How often an idle process asks the database what is due: between these, the longer nothing was. Milliseconds. */
const SOONEST_MS = 100;
const LATEST_MS = 250;
/** After events were committed in this process it asks at once, but not more often than this. Milliseconds. */
const AT_ONCE_MS = 15;
/** Looking may take no more than this share of the time, however many endpoints have events that wait. */
const SHARE = 0.1;
/** But it rests no longer: a look that hung while the database was frozen says nothing of the next. Milliseconds. */
const LONGEST_REST_MS = 2_000;

export interface DueWatch {
  /** Begins to look, until `stop`. */
  start(): void;
  stop(): void;
}

/**
 * One look a process, for all its shards.
 * @param look asks what is due and passes it on; gives how many endpoints it found, and must not throw
 */
export function createDueWatch(look: () => Promise<number>): DueWatch {
  let timer: NodeJS.Timeout | undefined;
  let running = false;
  let looking = false;
  let told = false;
  let interval = SOONEST_MS;
  let earliest = 0;

  function schedule(afterMs: number): void {
    clearTimeout(timer);
    const wait = Math.max(afterMs, earliest - performance.now());
    timer = setTimeout(() => void lookNow(), wait);
  }

  async function lookNow(): Promise<void> {
    looking = true;
    told = false;
    const began = performance.now();
    const found = await look();
    const took = performance.now() - began;
    looking = false;
    const rest = Math.min(took / SHARE - took, LONGEST_REST_MS);
    earliest = performance.now() + Math.max(AT_ONCE_MS, rest);
    interval = found > 0 ? SOONEST_MS : Math.min(LATEST_MS, interval * 1.25);
    if (running) schedule(told ? 0 : interval);
  }

  function wake(): void {
    if (told) return;
    told = true;
    if (!looking) schedule(0);
  }

  return {
    start() {
      if (running) return;
      running = true;
      interval = SOONEST_MS;
      eventsCommitted.subscribe(wake);
      if (!looking) schedule(0);
    },
    stop() {
      running = false;
      eventsCommitted.unsubscribe(wake);
      clearTimeout(timer);
    },
  };
}
