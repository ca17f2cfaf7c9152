import { type Decimal, maxOf, ZERO } from '../../../kernel/money/money';

/** Our balance at the exchange in one currency, and its time by the exchange's clock. */
export interface Reported {
  reported: Decimal;
  asOf: Date;
  /** Sum of all that we have sent out of the balance before the question, by our books. */
  sentOut: Decimal;
}

/**
 * Money that has come since the last check: the growth of the balance, plus money sent out meanwhile. Never negative.
 */
export const increaseSince = (last: Omit<Reported, 'asOf'>, now: Omit<Reported, 'asOf'>): Decimal =>
  maxOf(ZERO, now.reported.minus(last.reported).plus(now.sentOut).minus(last.sentOut));

/** Greatest difference between the exchange's clock and ours. Milliseconds. */
const CLOCK_MS = 5_000;

/** Whether a reading is from between two moments, within the tolerance of clocks. */
export const isOfItsTime = (asOf: Date, { from, to }: { from: Date; to: Date }): boolean =>
  asOf.getTime() >= from.getTime() - CLOCK_MS && asOf.getTime() <= to.getTime() + CLOCK_MS;

/** A reading of this time includes everything booked before the returned time, whichever clock is ahead. */
export const includedUntil = (asOf: Date): Date => new Date(asOf.getTime() - CLOCK_MS);

/** Readings from the returned time on include a withdrawal of now. */
export const includedFrom = (now: Date): Date => new Date(now.getTime() + CLOCK_MS);

/** The fields of the last check that the next check needs. */
export interface Judged {
  asOf: Date;
  /** Readings before this time may still contain a withdrawal of an operator. Null: there was none. */
  newsFrom: Date | null;
}

/** Whether a reading may lack a withdrawal that an operator has just booked. */
export const mayMissWithdrawal = (
  { newsFrom }: Pick<Judged, 'newsFrom'>,
  { asOf }: { asOf: Date },
): boolean => newsFrom !== null && asOf < newsFrom;

/** Whether a check would refuse this reading, or the reading is no newer than the last check's. */
export const releasesNothing = (last: Judged, reading: { asOf: Date }): boolean =>
  mayMissWithdrawal(last, reading) || reading.asOf <= last.asOf;

/** Our books of a currency at one moment. */
export interface Books {
  /** Our money at the exchange, with what the exchange owes us. Negative where we owe it. */
  booked: Decimal;
  /** The part of it that the exchange owes for orders without a release. */
  owed: Decimal;
  /** Amounts that left the balance since a given time. Amounts that came in are not subtracted. */
  sentSince: Decimal;
}

/**
 * Money that came from the exchange and that no order was released for: reported − booked + owed − just sent.
 *
 * Negative where more has gone than our books know, or where a released amount is owed again. Just sent amounts may
 * still be in the reading, so they are subtracted. The result is too low for some seconds, and never too high.
 * @param books read after the reading; `sentSince` counts from {@link includedUntil} of the reading
 */
export const availableBy = (reported: Decimal, { booked, owed, sentSince }: Books): Decimal =>
  reported.minus(booked).plus(owed).minus(sentSince);

/** An order that waits, in a list with the oldest first. */
export interface Waiting {
  id: string;
  amount: Decimal;
}

/** The waiting orders that an amount covers, each as a whole and none overtaken, and the amount that is left. */
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
