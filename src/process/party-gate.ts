import { PartyAway, PartyStopped } from './party-errors';

/** The gate is full or its circuit is open, so the quick attempt is skipped. */
export class PartyBusy extends PartyAway {
  override name = 'PartyBusy';
  constructor() {
    super('the party gets no quick attempts now');
  }
}

const MAX_AT_ONCE = 12;
/** Milliseconds. A waiting call blocks a workflow's task. */
const WAIT_MS = 400;
/** Consecutive failures or slow calls that open the circuit. */
const MAX_FAILURES = 3;
/** Milliseconds that the circuit stays open. One trial call may follow. */
const OPEN_MS = 5_000;
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

interface Circuit {
  party: string;
  running: number;
  /** Resolvers of waiting calls. Calls that gave up are removed. */
  waiting: (() => void)[];
  failures: number;
  openUntil: number;
}

export interface GateOptions {
  /** Milliseconds, monotonic. */
  now?: () => number;
  /** Concurrent quick attempts for one party. Further ones wait for `waitMs`. */
  atOnce?: number;
  /** Milliseconds that a call waits for a place. */
  waitMs?: number;
  /** Called when a party's circuit opens and when it closes. */
  observe?: (party: string, open: boolean) => void;
}

export function createPartyGate(options: GateOptions = {}): PartyGate {
  const { now = () => performance.now(), atOnce = MAX_AT_ONCE, waitMs = WAIT_MS, observe } = options;
  const circuits = new Map<string, Circuit>();
  function circuitOf(party: string): Circuit {
    const circuit = circuits.get(party) ?? { party, running: 0, waiting: [], failures: 0, openUntil: 0 };
    circuits.set(party, circuit);
    return circuit;
  }

  async function watched<T>(circuit: Circuit, work: () => Promise<T>): Promise<T> {
    const began = now();
    const slow = setTimeout(() => failed(circuit), SLOW_MS);
    slow.unref();
    try {
      const result = await work();
      if (now() - began < SLOW_MS) answered(circuit);
      return result;
    } catch (error) {
      const isFault = error instanceof PartyAway && !(error instanceof PartyStopped);
      if (isFault && now() - began < SLOW_MS) failed(circuit);
      throw error;
    } finally {
      clearTimeout(slow);
    }
  }

  function failed(circuit: Circuit): void {
    circuit.failures += 1;
    if (circuit.failures >= MAX_FAILURES) circuit.openUntil = now() + OPEN_MS;
    if (circuit.failures === MAX_FAILURES) observe?.(circuit.party, true);
  }

  function answered(circuit: Circuit): void {
    if (circuit.failures >= MAX_FAILURES) observe?.(circuit.party, false);
    circuit.failures = 0;
  }

  const isOpen = ({ failures, openUntil, running }: Circuit) =>
    failures >= MAX_FAILURES && (now() < openUntil || running > 0);

  return {
    async inPassing(party, work) {
      const circuit = circuitOf(party);
      if (isOpen(circuit)) throw new PartyBusy();
      if (circuit.running >= atOnce) await placeIn(circuit, waitMs);
      if (isOpen(circuit)) {
        circuit.waiting.shift()?.();
        throw new PartyBusy();
      }
      circuit.running += 1;
      try {
        return await watched(circuit, work);
      } finally {
        circuit.running -= 1;
        circuit.waiting.shift()?.();
      }
    },
    patiently: (party, work) => watched(circuitOf(party), work),
  };
}

/** Waits for a place. @throws PartyBusy after `waitMs` */
function placeIn(circuit: Circuit, waitMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const turn = () => {
      clearTimeout(timeout);
      resolve();
    };
    const timeout = setTimeout(() => {
      circuit.waiting = circuit.waiting.filter((each) => each !== turn);
      reject(new PartyBusy());
    }, waitMs);
    circuit.waiting.push(turn);
  });
}
