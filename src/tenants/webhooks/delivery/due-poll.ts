import { eventsCommitted } from '../../../kernel/outbox/events';

/** Poll interval while events are due. Milliseconds. */
const INTERVAL_MS = 100;
/** Shortest pause between polls that committed events of this process trigger. Milliseconds. */
const AT_ONCE_MS = 15;
/** Largest share of time for polling, however many endpoints have waiting events. */
const SHARE = 0.1;
/**
 * Longest pause that {@link SHARE} may cause, because one poll may have hung while the database was frozen.
 * Milliseconds.
 */
const LONGEST_REST_MS = 2_000;

/**
 * | state           | activity                                                      |
 * |-----------------|---------------------------------------------------------------|
 * | `stopped`       | none                                                          |
 * | `waiting`       | polls when the interval has passed, or when events wait        |
 * | `woken`         | polls as soon as allowed: at the start, or after a commit     |
 * | `polling`       | queries the database                                          |
 * | `polling_woken` | queries the database, then again, because events were added   |
 * | `stopping`      | queries the database, then stops                              |
 */
type State = 'stopped' | 'waiting' | 'woken' | 'polling' | 'polling_woken' | 'stopping';
type Event = 'start' | 'stop' | 'committed' | 'timer' | 'polled';

/** All transitions. An event that a state does not list changes nothing. */
const TRANSITIONS: Record<State, Partial<Record<Event, State>>> = {
  stopped: { start: 'woken' },
  waiting: { stop: 'stopped', committed: 'woken', timer: 'polling' },
  woken: { stop: 'stopped', timer: 'polling' },
  polling: { stop: 'stopping', committed: 'polling_woken', polled: 'waiting' },
  polling_woken: { stop: 'stopping', polled: 'woken' },
  stopping: { start: 'polling', polled: 'stopped' },
};

export interface DuePoll {
  /** Polls until `stop`. No effect while it is polling already. */
  start(): void;
  stop(): void;
}

/**
 * Creates the poll for due events, one per process for all of its shards.
 * @param findDue queries due events and passes them on; returns the number of endpoints with due events; must not throw
 * @param untilWaiting resolves when events may wait, or when the signal aborts
 */
export function createDuePoll(
  findDue: () => Promise<number>,
  untilWaiting: (signal: AbortSignal) => Promise<void>,
): DuePoll {
  let state: State = 'stopped';
  let timer: NodeJS.Timeout | undefined;
  let resting = new AbortController();
  let found = 0;
  let earliest = 0;

  /** The only place that changes the state and runs its entry action. */
  function on(event: Event): void {
    const before = state;
    state = TRANSITIONS[before][event] ?? before;
    if (state === before) return;
    resting.abort();
    if (state === 'stopped') clearTimeout(timer);
    else if (state === 'waiting') wait();
    else if (state === 'woken') pollIn(0);
    else if (event === 'timer') void poll();
  }

  function wait(): void {
    if (found > 0) return pollIn(INTERVAL_MS);
    const { signal } = (resting = new AbortController());
    void untilWaiting(signal).then(() => {
      if (!signal.aborted) pollIn(0);
    });
  }

  function pollIn(ms: number): void {
    clearTimeout(timer);
    timer = setTimeout(() => on('timer'), Math.max(ms, earliest - performance.now()));
  }

  async function poll(): Promise<void> {
    const began = performance.now();
    found = await findDue();
    const took = performance.now() - began;
    const rest = Math.min(took / SHARE - took, LONGEST_REST_MS);
    earliest = performance.now() + Math.max(AT_ONCE_MS, rest);
    on('polled');
  }

  const committed = () => on('committed');
  const isRunning = () => state !== 'stopped' && state !== 'stopping';

  return {
    start() {
      if (isRunning()) return;
      eventsCommitted.subscribe(committed);
      on('start');
    },
    stop() {
      if (!isRunning()) return;
      eventsCommitted.unsubscribe(committed);
      on('stop');
    },
  };
}
