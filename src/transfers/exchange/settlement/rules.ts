import { type Decimal, maxOf, ZERO } from '../../../kernel/money/money';

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

/** How far the exchange's clock may be from ours. Milliseconds. */
const CLOCK_MS = 5_000;

/** Whether a reading of then is of between those two moments, as far as clocks tell. */
export const isOfItsTime = (asOf: Date, { from, to }: { from: Date; to: Date }): boolean =>
  asOf.getTime() >= from.getTime() - CLOCK_MS && asOf.getTime() <= to.getTime() + CLOCK_MS;

/** What was booked by then a reading of then knows of, whichever clock is ahead. */
export const knownTo = (asOf: Date): Date => new Date(asOf.getTime() - CLOCK_MS);

/** From then on a reading knows of what has left the exchange now. */
export const knowingFrom = (now: Date): Date => new Date(now.getTime() + CLOCK_MS);

/** The part of the last check that the next check goes by. */
export interface Judged {
  asOf: Date;
  /** An older reading may still hold money that an operator has taken home; null: none was taken. */
  newsFrom: Date | null;
}

/** Whether a reading may lack a withdrawal that an operator has just booked. */
export const isBeforeNews = ({ newsFrom }: Pick<Judged, 'newsFrom'>, { asOf }: { asOf: Date }): boolean =>
  newsFrom !== null && asOf < newsFrom;

/** Whether a check by this reading is refused, or the reading is no newer than the last check's. */
export const releasesNothing = (last: Judged, reading: { asOf: Date }): boolean =>
  isBeforeNews(last, reading) || reading.asOf <= last.asOf;

/** Our books of a currency at one moment. */
export interface Books {
  /** What the exchange has of ours, with what it owes us; below zero where we owe it. */
  booked: Decimal;
  /** Of that, what it owes by orders that no check has released. */
  owed: Decimal;
  /** What has left its balance by our books since a time, whatever has come meanwhile. */
  sentSince: Decimal;
}

/**
 * What has come from the exchange and no order was released for: all that it has beyond what our books expect to be there. Below zero where more
 * has gone than our books know of, or what was released is owed again. For some seconds it is too little by what was just sent,
 * and never too much: what the reading may still have and our books have not is taken off.
 * @param books of after the reading; sent since what it is {@link knownTo} know of
 */
export const availableBy = (reported: Decimal, { booked, owed, sentSince }: Books): Decimal =>
  reported.minus(booked).plus(owed).minus(sentSince);

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
