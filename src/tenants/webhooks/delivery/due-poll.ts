import { eventsCommitted } from '../../../kernel/outbox/events';

/** How often an idle process asks the database what is due: between these, the longer nothing was. Milliseconds. */
const SOONEST_MS = 100;
const LATEST_MS = 250;
/** After events were committed in this process it asks at once, but not more often than this. Milliseconds. */
const AT_ONCE_MS = 15;
/** Polling may take no more than this share of the time, however many endpoints have events that wait. */
const SHARE = 0.1;
/** But it rests no longer: a poll that hung while the database was frozen says nothing of the next. Milliseconds. */
const LONGEST_REST_MS = 2_000;

/**
 * | state           | what it does                                                    |
 * |-----------------|-----------------------------------------------------------------|
 * | `stopped`       | nothing                                                         |
 * | `waiting`       | polls when the interval has passed                              |
 * | `woken`         | polls as soon as it may: at the start, or events were committed |
 * | `polling`       | asks the database                                               |
 * | `polling_woken` | the same, and events were committed since: polls once more      |
 * | `stopping`      | asks the database, then stops                                   |
 */
type State = 'stopped' | 'waiting' | 'woken' | 'polling' | 'polling_woken' | 'stopping';
type Event = 'start' | 'stop' | 'committed' | 'timer' | 'polled';

/** Every transition. An event that a state does not list leaves it as it is. */
const TRANSITIONS: Record<State, Partial<Record<Event, State>>> = {
  stopped: { start: 'woken' },
  waiting: { stop: 'stopped', committed: 'woken', timer: 'polling' },
  woken: { stop: 'stopped', timer: 'polling' },
  polling: { stop: 'stopping', committed: 'polling_woken', polled: 'waiting' },
  polling_woken: { stop: 'stopping', polled: 'woken' },
  stopping: { start: 'polling', polled: 'stopped' },
};

export interface DuePoll {
  /** Polls until `stop`. Does nothing where it does already. */
  start(): void;
  stop(): void;
}

/**
 * Polls for due events: one poll a process, for all its shards.
 * @param findDue asks what is due and passes it on; gives how many endpoints it found, and must not throw
 */
export function createDuePoll(findDue: () => Promise<number>): DuePoll {
  let state: State = 'stopped';
  let timer: NodeJS.Timeout | undefined;
  let interval = SOONEST_MS;
  let earliest = 0;

  /** The only place that changes the state, and does what a state begins with. */
  function on(event: Event): void {
    const before = state;
    state = TRANSITIONS[before][event] ?? before;
    if (state === before) return;
    if (state === 'stopped') clearTimeout(timer);
    else if (state === 'waiting') pollIn(interval);
    else if (state === 'woken') pollIn(0);
    else if (event === 'timer') void poll();
  }

  function pollIn(ms: number): void {
    clearTimeout(timer);
    timer = setTimeout(() => on('timer'), Math.max(ms, earliest - performance.now()));
  }

  async function poll(): Promise<void> {
    const began = performance.now();
    const found = await findDue();
    const took = performance.now() - began;
    const rest = Math.min(took / SHARE - took, LONGEST_REST_MS);
    earliest = performance.now() + Math.max(AT_ONCE_MS, rest);
    interval = found > 0 ? SOONEST_MS : Math.min(LATEST_MS, interval * 1.25);
    on('polled');
  }

  const committed = () => on('committed');
  const isRunning = () => state !== 'stopped' && state !== 'stopping';

  return {
    start() {
      if (isRunning()) return;
      interval = SOONEST_MS;
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
