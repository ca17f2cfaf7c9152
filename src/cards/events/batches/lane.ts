export interface Lane<Item> {
  push(item: Item): void;
}

export interface LaneOptions<Item> {
  /** The number of batches that may be under way at once. */
  mostAtOnce: number;
  /** Processes a batch and answers each of its items. */
  run(batch: Item[]): Promise<void>;
  /** Called when the lane is empty and idle. */
  emptied?(): void;
}

/** The largest batch. A larger one gains nothing, and its first item would wait for its last. */
const MAX_BATCH = 64;

/** Creates a queue that is processed in batches. Items that arrive while batches are under way join the next batch. */
export function createLane<Item>({
  mostAtOnce,
  run,
  emptied = () => undefined,
}: LaneOptions<Item>): Lane<Item> {
  const queue: Item[] = [];
  let batches = 0;
  let underWay = 0;
  let planned = false;

  /** Begins at the end of this turn of the event loop, so that all of its items join the batch. */
  function plan(): void {
    if (planned) return;
    planned = true;
    setImmediate(() => {
      planned = false;
      while (queue.length > 0 && mayBegin()) void runNext();
    });
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
