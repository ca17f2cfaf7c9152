import fc from 'fast-check';
import { decimalsOf } from '../../../src/kernel/money/currencies';
import { Decimal, roundTo } from '../../../src/kernel/money/money';
import { type Quoted, rateIn, type Snapshot } from '../../../src/parties/rates/snapshot';

const asOf = new Date('2026-03-01T12:00:00.000Z');
const BASE = 'USD';
/** Currencies from none to eighteen decimals, and from the lowest to the highest worth. */
const CURRENCIES = ['EUR', 'JPY', 'KWD', 'IDR', 'VND', 'USDT', 'ETH'];
const ALL = [BASE, ...CURRENCIES];

const snapshotOf = (rates: Record<string, [bid: string, ask: string]>): Snapshot => ({
  base: BASE,
  asOf,
  rates: new Map(
    Object.entries(rates).map(([currency, [bid, ask]]): [string, Quoted] => [
      currency,
      { bid: new Decimal(bid), ask: new Decimal(ask) },
    ]),
  ),
});

/** A worth between a billionth and a billion, with digits to spare, and a spread between zero and ten percent. */
const quotedArb = fc
  .tuple(fc.bigInt(1n, 10n ** 15n), fc.integer({ min: -6, max: 24 }), fc.integer({ min: 0, max: 100_000 }))
  .map(([digits, shift, spread]): Quoted => {
    const bid = new Decimal(digits.toString()).times(new Decimal(10).pow(-shift)).toDecimalPlaces(18);
    const positive = bid.isZero() ? new Decimal('0.000000000000000001') : bid;
    return { bid: positive, ask: positive.times(1 + spread / 1_000_000) };
  });

const snapshotArb = fc.tuple(...CURRENCIES.map(() => quotedArb)).map(
  (quoted): Snapshot => ({
    base: BASE,
    asOf,
    rates: new Map(CURRENCIES.map((c, i) => [c, quoted[i] as Quoted])),
  }),
);

/** A walk through currencies back to the first one. Each step is priced by the sold or by the bought amount. */
const chainArb = fc.array(fc.tuple(fc.constantFrom(...ALL), fc.boolean()), { minLength: 2, maxLength: 8 });

function required(snapshot: Snapshot, from: string, to: string) {
  const rate = rateIn(snapshot, from, to);
  if (!rate) throw new Error(`${from} ${to}`);
  return rate;
}

/** Pairs of neighbours, with the last pair back to the start. */
const steps = (chain: readonly [string, boolean][]) =>
  chain.flatMap(([from, sells], index): [string, string, boolean][] => {
    const [to] = chain[(index + 1) % chain.length] as [string, boolean];
    return from === to ? [] : [[from, to, sells]];
  });

it('lets no chain of quotes of one snapshot gain', () => {
  fc.assert(
    fc.property(snapshotArb, chainArb, (snapshot, chain) => {
      let worth = new Decimal(1);
      for (const [from, to, sells] of steps(chain)) {
        worth = sells
          ? worth.times(required(snapshot, from, to).bid)
          : worth.dividedBy(required(snapshot, to, from).ask);
      }
      // The calculation has sixty digits.
      expect(worth.toSignificantDigits(50).lte(1)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

it('lets no chain gain a minor unit when receipts are rounded down', () => {
  fc.assert(
    fc.property(snapshotArb, chainArb, fc.bigInt(1n, 10n ** 15n), (snapshot, chain, minor) => {
      const [begin] = chain[0] as [string, boolean];
      const given = new Decimal(minor.toString()).times(new Decimal(10).pow(-decimalsOf(begin)));
      let held = given;
      for (const [from, to] of steps(chain))
        held = roundTo(held.times(required(snapshot, from, to).bid), to, Decimal.ROUND_DOWN);
      expect(held.lte(given)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

it('orders bid, middle and ask, with at most fifteen digits, and marks derived pairs', () => {
  fc.assert(
    fc.property(snapshotArb, fc.constantFrom(...ALL), fc.constantFrom(...ALL), (snapshot, from, to) => {
      const { bid, mid, ask, derived } = required(snapshot, from, to);
      expect([bid.gt(0), bid.lte(mid), mid.lte(ask)]).toEqual([true, true, true]);
      for (const each of [bid, mid, ask]) expect(each.precision(false)).toBeLessThanOrEqual(15);
      expect(derived).toBe(from !== BASE && to !== BASE);
    }),
  );
});

it('is exact to fifteen digits where currencies are far apart: IDR to ETH and back', () => {
  const still = snapshotOf({ IDR: ['0.000062', '0.000062'], ETH: ['3000', '3000'] });
  const there = required(still, 'IDR', 'ETH');
  expect(there.mid.toFixed()).toBe('0.0000000206666666666667');
  const ether = roundTo(there.bid.times(1_000_000), 'ETH', Decimal.ROUND_DOWN);
  const back = roundTo(required(still, 'ETH', 'IDR').bid.times(ether), 'IDR', Decimal.ROUND_DOWN);
  expect([ether.toFixed(), back.toFixed()]).toEqual(['0.0206666666666666', '999999.99']);
});

it('has no rate of a missing currency', () => {
  const snapshot = snapshotOf({ EUR: ['1.07', '1.09'] });
  expect([rateIn(snapshot, 'EUR', 'GBP'), rateIn(snapshot, 'GBP', 'USD')]).toEqual([undefined, undefined]);
});
