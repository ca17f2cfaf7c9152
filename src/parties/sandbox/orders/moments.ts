import type { Moment } from '../changes';
import { secondsAfter } from '../time';
import type { LaterChange, OrderFaults } from './book';

/** A change followed by another within this time sends no callback of its own. */
const TOGETHER_SECONDS = 5;

/** The times at which an order changes by itself. */
export function momentsOf(
  changes: readonly LaterChange[],
  { sendsNoCallbacks = false }: OrderFaults,
  acceptedAt: Date,
): Moment[] {
  const certain = changes.filter(({ afterSeconds }) => Number.isFinite(afterSeconds));
  return certain.map(({ afterSeconds }, index) => {
    const next = certain[index + 1]?.afterSeconds ?? Number.POSITIVE_INFINITY;
    const quiet = sendsNoCallbacks || next - afterSeconds < TOGETHER_SECONDS;
    return { at: secondsAfter(acceptedAt, afterSeconds), quiet };
  });
}

/** The latest change of an order up to that time. Undefined before the first. */
export const changeAt = <Change extends LaterChange>(
  changes: readonly Change[],
  acceptedAt: Date | null,
  at: Date,
): Change | undefined =>
  changes.findLast(({ afterSeconds }) => secondsAfter(acceptedAt ?? at, afterSeconds) <= at);
