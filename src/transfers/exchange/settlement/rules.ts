import { type Decimal, maxOf, minOf, ZERO } from '../../../kernel/money/money';

/** What the exchange says that it has of ours of a currency, and when that was by its clock. */
export interface Reported {
  reported: Decimal;
  asOf: Date;
  /** All that was sent out of its balance by our books before it was asked, ever. */
  sentOut: Decimal;
}

/** What has come since the last check: what is there more, and what was sent out of it meanwhile. Never below zero. */
export const increaseSince = (last: Omit<Reported, 'asOf'>, now: Omit<Reported, 'asOf'>): Decimal =>
  maxOf(ZERO, now.reported.minus(last.reported).plus(now.sentOut).minus(last.sentOut));

/** Our books of a currency at one moment. */
export interface Books {
  /** What the exchange has of ours, with what it owes us; below zero where we owe it. */
  booked: Decimal;
  /** Of that, what it owes by orders that no check has released. */
  owed: Decimal;
}

/**
 * What has come from the exchange and no order was released for: all that it has beyond what our books expect to be there. Below zero where more
 * has gone than our books know of, or what was released is owed again.
 * @param books of before it was asked, and of after: what goes out in between is in one of them before it is in the reading, or in
 *   the reading before it is in the other, so the lesser is never too much
 */
export const availableBy = (reported: Decimal, books: readonly [Books, Books]): Decimal => {
  const [before, after] = books.map(({ booked, owed }) => reported.minus(booked).plus(owed)) as [
    Decimal,
    Decimal,
  ];
  return minOf(before, after);
};

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
