import fc from 'fast-check';
import { type Decimal, roundTo } from '../../../../../src/kernel/money/money';
import type { Money } from '../../../../../src/transfers/engine/books/inflow';

/** Small versions, so that two of a path may be equal. */
export const version = fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined, freq: 2 });

/** A percentage of the agreed amount, rounded as the party rounds. */
export const percentOf = ({ amount, currency }: Money, percent: Decimal): Decimal =>
  roundTo(amount.times(percent).dividedBy(100), currency);

/** Empty in half of the cases, because most words have no returns. */
export const orNone = <T>(all: fc.Arbitrary<T[]>): fc.Arbitrary<T[]> => fc.oneof(all, fc.constant<T[]>([]));
