import type { Moment } from '../changes';
import { secondsAfter } from '../time';
import type { LaterChange, OrderFaults } from './book';

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
