/** An item that waits in a lane. */
export interface Queued {
  /** When it was queued, in milliseconds of the monotonic clock. */
  since: number;
}

export interface Lane<Item extends Queued> {
  push(item: Item): void;
}

export interface LaneOptions<Item extends Queued> {
  /** The number of batches that may be under way at once. */
  mostAtOnce: number;
  /**
   * An idle lane waits until as many items have come as the last batch had, because their callers come back at about
   * the same time. It waits no longer than until no item has come for `quietMs`, and at most `mostMs` for the oldest. A
   * lane whose last batch had one item does not wait.
   */
  gathering: { quietMs: number; mostMs: number };
  /** Processes a batch and answers each of its items. */
  run(batch: Item[]): Promise<void>;
  /** Called when the lane is empty and idle. */
  emptied?(): void;
}

/**
 * The wait for more messages, because the fixed cost of a transaction equals about ten messages (`docs/benchmarks.md`).
 * Look-ups wait as well, so that a wave stays together.
 */
export const GATHERING = { quietMs: 1, mostMs: 4 };

/** The largest batch. A larger one gains nothing, and its first item would wait for its last. */
const MAX_BATCH = 64;

/** Creates a queue that is processed in batches. Items that arrive while batches are under way join the next batch. */
export function createLane<Item extends Queued>({
  mostAtOnce,
  gathering: { quietMs, mostMs },
  run,
  emptied = () => undefined,
}: LaneOptions<Item>): Lane<Item> {
  const queue: Item[] = [];
  let batches = 0;
  let underWay = 0;
  let lastSize = 0;
  let planned = false;
  let quiet: NodeJS.Timeout | undefined;

  /** Begins at the end of this turn of the event loop, so that all of its items join the batch. */
  function plan(): void {
    if (planned) return;
    planned = true;
    setImmediate(() => {
      planned = false;
      clearTimeout(quiet);
      if (isGathering()) quiet = setTimeout(begin, quietMs);
      else begin();
    });
  }

  function isGathering(): boolean {
    const [oldest] = queue;
    if (!oldest || batches > 0 || lastSize < 2 || queue.length >= lastSize) return false;
    return performance.now() - oldest.since < mostMs;
  }

  function begin(): void {
    while (queue.length > 0 && mayBegin()) void runNext();
  }

  /**
   * Another batch begins only when as many items wait as are under way, because small batches cost more than they gain.
   */
  function mayBegin(): boolean {
    return batches === 0 || (batches < mostAtOnce && queue.length >= underWay);
  }

  async function runNext(): Promise<void> {
    const batch = queue.splice(0, MAX_BATCH);
    batches += 1;
    underWay += batch.length;
    try {
      await run(batch);
    } finally {
      batches -= 1;
      underWay -= batch.length;
      lastSize = batch.length;
      if (queue.length > 0) plan();
      else if (batches === 0) emptied();
    }
  }

  return {
    push(item) {
      queue.push(item);
      plan();
    },
  };
}
