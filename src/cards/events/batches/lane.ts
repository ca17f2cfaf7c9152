/** Something that waits in a lane. */
export interface Queued {
  /** When it came: milliseconds, monotonic. */
  since: number;
}

export interface Lane<Item extends Queued> {
  push(item: Item): void;
}

export interface LaneOptions<Item extends Queued> {
  /** Batches under way at the same time. */
  mostAtOnce: number;
  /**
   * An idle lane whose last batch had several items waits until none has come for `quietMs`, the oldest at most `mostMs`: those
   * whom that batch has answered come back at about the same time. One that comes alone after one that came alone never waits.
   */
  gathering: { quietMs: number; mostMs: number };
  /** Does a batch, and answers for each of its items. */
  run(batch: Item[]): Promise<void>;
  /** Called when nothing waits and nothing is under way. */
  emptied?(): void;
}

/** Items of one batch: past this a batch gains nothing and its first item waits for its last. */
const MAX_BATCH = 64;

/** A queue that is worked off in batches; what comes while batches are under way is in the next. */
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

  /** Whatever else this turn of the event loop brings in joins the batch. */
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
    if (!oldest || batches > 0 || lastSize < 2 || queue.length >= MAX_BATCH) return false;
    return performance.now() - oldest.since < mostMs;
  }

  function begin(): void {
    while (queue.length > 0 && mayBegin()) void runNext();
  }

  /** While another is under way, a batch begins when as many wait as that one has: small ones cost more than they bring. */
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
