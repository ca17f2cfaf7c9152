import { PartyAway, PartyStopped } from './party-errors';

/** Too many wait for the party already, or it has not answered lately: it is not tried in passing. */
export class PartyBusy extends PartyAway {
  override name = 'PartyBusy';
  constructor() {
    super('the party is not tried in passing now');
  }
}

const AT_ONCE = 12;
/** Milliseconds: whoever waits holds a workflow's task. */
const WAIT_MS = 400;
/** So many in a row that failed, or took longer than a task should, close the way. */
const FAILURES = 3;
/** For so long; then one may try. Milliseconds. */
const CLOSED_MS = 5_000;
/** A call in passing that takes longer has failed for this purpose. Milliseconds. */
const SLOW_MS = 1_000;

/**
 * Before each party: a semaphore and a circuit breaker over the first, short tries that are made within a workflow's own
 * task. What is refused here is done by an activity on the party's own queue, where it hinders nobody else.
 */
export interface PartyGate {
  /** @throws PartyBusy where the way is closed, or taken */
  inPassing<T>(party: string, work: () => Promise<T>): Promise<T>;
  /** Always let through; how it ends is learnt from. */
  patiently<T>(party: string, work: () => Promise<T>): Promise<T>;
}

interface Way {
  party: string;
  running: number;
  /** Told when it is their turn; whoever has given up is not among them. */
  waiting: (() => void)[];
  failures: number;
  closedUntil: number;
}

export interface GateOptions {
  /** Milliseconds, monotonic. */
  now?: () => number;
  /** Calls of one party in passing at once; others wait for their turn, for a moment. */
  atOnce?: number;
  /** Milliseconds that one waits for its turn. */
  waitMs?: number;
  /** Told when a party's way closes, and when it is free again. */
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

/** @throws PartyBusy when it does not come soon */
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
