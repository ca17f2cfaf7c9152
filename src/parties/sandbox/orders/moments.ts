import type { Moment } from '../changes';
import { secondsAfter } from '../time';
import type { OrderFaults } from './book';

/** How an order changes by itself. */
export interface LaterChange {
  /** Counted from when it was taken; Infinity: never. */
  afterSeconds: number;
}

/** What another change follows within this is told with it. */
const TOGETHER_SECONDS = 5;

/** When an order changes by itself. */
export function momentsOf(
  changes: readonly LaterChange[],
  { sendsNoCallbacks = false }: OrderFaults,
  acceptedAt: Date,
): Moment[] {
  return changes.map(({ afterSeconds }, index) => {
    const next = changes[index + 1]?.afterSeconds ?? Number.POSITIVE_INFINITY;
    const quiet = sendsNoCallbacks || next - afterSeconds < TOGETHER_SECONDS;
    return { at: secondsAfter(acceptedAt, afterSeconds), quiet };
  });
}

/** The change that an order has come to at that time; nothing before the first. */
export const changeAt = <Change extends LaterChange>(
  changes: readonly Change[],
  acceptedAt: Date,
  at: Date,
): Change | undefined => changes.findLast(({ afterSeconds }) => secondsAfter(acceptedAt, afterSeconds) <= at);
