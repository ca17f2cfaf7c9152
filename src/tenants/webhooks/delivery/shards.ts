/** Numbers of attempts. */
export interface Counts {
  delivered: number;
  failed: number;
}

/** Shards that a process delivers, with their counts. */
export interface Shards {
  take(shard: number): void;
  release(shard: number): void;
  isTaken(shard: number): boolean;
  taken(): number[];
  count(shard: number, outcome: keyof Counts): void;
  /** Since the process started. */
  counts(shard: number): Counts;
}

/** A shard can be held twice, because a new activity may start before the old one notices its end. */
export function createShards(): Shards {
  const holders = new Map<number, number>();
  const counts = new Map<number, Counts>();

  function countsOf(shard: number): Counts {
    const known = counts.get(shard) ?? { delivered: 0, failed: 0 };
    counts.set(shard, known);
    return known;
  }

  return {
    take: (shard) => void holders.set(shard, (holders.get(shard) ?? 0) + 1),
    release(shard) {
      const left = (holders.get(shard) ?? 1) - 1;
      if (left > 0) holders.set(shard, left);
      else holders.delete(shard);
    },
    isTaken: (shard) => holders.has(shard),
    taken: () => [...holders.keys()],
    count(shard, outcome) {
      countsOf(shard)[outcome] += 1;
    },
    counts: (shard) => ({ ...countsOf(shard) }),
  };
}
