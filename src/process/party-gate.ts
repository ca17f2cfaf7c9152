import { PartyAway, PartyStopped } from './party-errors';

/** The gate is full or its circuit is open, so the quick attempt is skipped. */
export class PartyBusy extends PartyAway {
  override name = 'PartyBusy';
  constructor() {
    super('the party gets no quick attempts now');
  }
}

const AT_ONCE = 12;
/** Milliseconds. A waiting call blocks a workflow's task. */
const WAIT_MS = 400;
/** Consecutive failures or slow calls that open the circuit. */
const FAILURES = 3;
/** Milliseconds that the circuit stays open. One trial call may follow. */
const CLOSED_MS = 5_000;
/** Milliseconds after which a call counts as failed here. */
const SLOW_MS = 1_000;

/**
 * A semaphore and a circuit breaker for each party. They guard the first, short attempts, which run inside a workflow's
 * own task. An activity on the party's own queue repeats a rejected attempt, where it blocks no other work.
 */
export interface PartyGate {
  /** Runs a quick attempt. @throws PartyBusy the circuit is open, or the gate is full */
  inPassing<T>(party: string, work: () => Promise<T>): Promise<T>;
  /** Runs a call without a limit. Its result counts for the circuit. */
  patiently<T>(party: string, work: () => Promise<T>): Promise<T>;
}

interface Way {
  party: string;
  running: number;
  /** Resolvers of waiting calls. Calls that gave up are removed. */
  waiting: (() => void)[];
  failures: number;
  closedUntil: number;
}

export interface GateOptions {
  /** Milliseconds, monotonic. */
  now?: () => number;
  /** Concurrent quick attempts for one party. Further ones wait for `waitMs`. */
  atOnce?: number;
  /** Milliseconds that a call waits for a place. */
  waitMs?: number;
  /** Called when a party's circuit opens and when it closes. */
  observe?: (party: string, closed: boolean) => void;
}

export function createPartyGate(options: GateOptions = {}): PartyGate {
  const { now = () => performance.now(), atOnce = AT_ONCE, waitMs = WAIT_MS, observe } = options;
  const ways = new Map<string, Way>();
  function wayOf(party: string): Way {
    const way = ways.get(party) ?? { party, running: 0, waiting: [], failures: 0, closedUntil: 0 };
    ways.set(party, way);
    return way;
  }

  async function watched<T>(way: Way, work: () => Promise<T>): Promise<T> {
    const began = now();
    const slow = setTimeout(() => failed(way), SLOW_MS);
    slow.unref();
    try {
      const result = await work();
      if (now() - began < SLOW_MS) answered(way);
      return result;
    } catch (error) {
      const isFault = error instanceof PartyAway && !(error instanceof PartyStopped);
      if (isFault && now() - began < SLOW_MS) failed(way);
      throw error;
    } finally {
      clearTimeout(slow);
    }
  }

  function failed(way: Way): void {
    way.failures += 1;
    if (way.failures >= FAILURES) way.closedUntil = now() + CLOSED_MS;
    if (way.failures === FAILURES) observe?.(way.party, true);
  }

  function answered(way: Way): void {
    if (way.failures >= FAILURES) observe?.(way.party, false);
    way.failures = 0;
  }

  const isClosed = ({ failures, closedUntil, running }: Way) =>
    failures >= FAILURES && (now() < closedUntil || running > 0);

  return {
    async inPassing(party, work) {
      const way = wayOf(party);
      if (isClosed(way)) throw new PartyBusy();
      if (way.running >= atOnce) await turnOf(way, waitMs);
      if (isClosed(way)) {
        way.waiting.shift()?.();
        throw new PartyBusy();
      }
      way.running += 1;
      try {
        return await watched(way, work);
      } finally {
        way.running -= 1;
        way.waiting.shift()?.();
      }
    },
    patiently: (party, work) => watched(wayOf(party), work),
  };
}

/** Waits for a place. @throws PartyBusy after `waitMs` */
function turnOf(way: Way, waitMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const turn = () => {
      clearTimeout(tired);
      resolve();
    };
    const tired = setTimeout(() => {
      way.waiting = way.waiting.filter((each) => each !== turn);
      reject(new PartyBusy());
    }, waitMs);
    way.waiting.push(turn);
  });
}
