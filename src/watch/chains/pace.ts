import type { Block } from '../../parties/chain/port';

/** Blocks from which the interval is learned. */
const LEARNED_FROM = 8;
/** Longest wait for a block. A wrong interval delays nothing for longer. Milliseconds. */
const LONGEST_MS = 5_000;

type Moment = Pick<Block, 'number' | 'at'>;

/** When the next block of a chain is expected. */
export interface Pace {
  /** @param head undefined: the chain has no pace */
  note(head: Moment | undefined): void;
  /** Time until the next block, at most five seconds. 0 when it is unknown or overdue. Milliseconds. */
  waitMs(now: Date): number;
}

/** Learns the interval of a chain's blocks from their times. */
export function createPace(): Pace {
  let heads: Moment[] = [];
  return {
    note(head) {
      const last = heads.at(-1);
      if (!head || (last && head.number < last.number)) heads = [];
      if (head && head.number !== last?.number) heads = [...heads, head].slice(-LEARNED_FROM);
    },
    waitMs(now) {
      const [first, last] = [heads[0], heads.at(-1)];
      if (!first || !last || heads.length < LEARNED_FROM / 2) return 0;
      const interval = (last.at.getTime() - first.at.getTime()) / (last.number - first.number);
      return Math.min(LONGEST_MS, Math.max(0, last.at.getTime() + interval - now.getTime()));
    },
  };
}
