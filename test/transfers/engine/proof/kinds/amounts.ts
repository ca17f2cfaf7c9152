import fc from 'fast-check';
import { type Decimal, roundTo } from '../../../../../src/kernel/money/money';
import type { Money } from '../../../../../src/transfers/engine/books/inflow';

/** Small enough that two of a path meet. */
export const version = fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined, freq: 2 });

/** Of what was agreed, rounded as the party rounds it. */
export const percentOf = ({ amount, currency }: Money, percent: Decimal): Decimal =>
  roundTo(amount.times(percent).dividedBy(100), currency);

/** As often none at all: most words tell of nothing that goes back. */
export const orNone = <T>(all: fc.Arbitrary<T[]>): fc.Arbitrary<T[]> => fc.oneof(all, fc.constant<T[]>([]));
