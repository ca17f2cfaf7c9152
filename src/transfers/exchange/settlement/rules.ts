import { type Decimal, maxOf, ZERO } from '../../../kernel/money/money';
import type { SettlementCheck } from './store';

/** What the exchange says now, and what had been sent out of its balance by our books before it was asked. */
export interface NowReported {
  reported: Decimal;
  asOf: Date;
  sentOut: Decimal;
}

export interface Increase {
  /** Never below zero. */
  increase: Decimal;
  /** The same, below zero where more has gone than our books know of by now: that is made up first. */
  come: Decimal;
  /** A reading that is not newer than the last check's is that check's. */
  isNews: boolean;
}

/** What has come since the last check: what is there more, and what was sent out of it meanwhile. */
export function increaseSince(last: SettlementCheck, now: NowReported): Increase {
  const isNews = now.asOf > last.asOf;
  const come = isNews ? now.reported.minus(last.reported).plus(now.sentOut).minus(last.sentOut) : ZERO;
  return { increase: maxOf(ZERO, come), come, isNews };
}

/** Something that waits, oldest first. */
export interface Waiting {
  id: string;
  amount: Decimal;
}

/** Which of those that wait are covered, each whole and none overtaken, and what is left over. */
export function covered<W extends Waiting>(
  waiting: readonly W[],
  available: Decimal,
): { released: W[]; left: Decimal } {
  const released: W[] = [];
  let left = available;
  for (const each of waiting) {
    if (each.amount.gt(left)) break;
    released.push(each);
    left = left.minus(each.amount);
  }
  return { released, left };
}
