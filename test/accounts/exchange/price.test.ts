/** @long proves random chains of quotes. */
import fc from 'fast-check';
import { type ExchangePrice, priceOf, type Side } from '../../../src/accounts/exchange/price';
import { exchangeSettings } from '../../../src/accounts/exchange/settings';
import { decimalsOf } from '../../../src/kernel/money/currencies';
import { Decimal } from '../../../src/kernel/money/money';
import { type Quoted, rateIn, type Snapshot } from '../../../src/parties/rates/snapshot';

const asOf = new Date('2026-03-01T12:00:00.000Z');
const BASE = 'USD';
/** Currencies with no decimals and with eighteen, of the least and the greatest value. */
const OTHERS = ['EUR', 'JPY', 'KWD', 'IDR', 'VND', 'USDT', 'ETH'];
const ALL = [BASE, ...OTHERS];

const snapshotOf = (rates: Record<string, [bid: string, ask: string]>): Snapshot => ({
  base: BASE,
  asOf,
  rates: new Map(
    Object.entries(rates).map(([code, [bid, ask]]): [string, Quoted] => [
      code,
      { bid: new Decimal(bid), ask: new Decimal(ask) },
    ]),
  ),
});

type Terms = Parameters<typeof exchangeSettings.parse>[0];

function priced(
  snapshot: Snapshot,
  [from, to]: readonly [string, string],
  asked: { side?: Side; amount: string | Decimal },
  terms: Terms = {},
): ExchangePrice {
  const rate = rateIn(snapshot, from, to);
  if (!rate) throw new Error(`${from} ${to}`);
  const { side = 'sell' } = asked;
  return priceOf(rate, exchangeSettings.parse(terms), { side, amount: new Decimal(asked.amount) });
}

const shown = (price: ExchangePrice) =>
  Object.fromEntries(Object.entries(price).map(([name, value]) => [name, (value as Decimal).toFixed()]));
const refusal = (work: () => unknown) => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};
const onAmount = expect.objectContaining({ status: 400, code: 'invalid_request', field: 'amount' });

const EURO = snapshotOf({ EUR: ['1.07892', '1.08108'], JPY: ['0.0066933', '0.0067067'] });

describe('a price', () => {
  it('of a sale rounds the bought amount down, and keeps the remainder', () => {
    expect(shown(priced(EURO, ['EUR', 'USD'], { amount: '100.01' }))).toEqual({
      sellAmount: '100.01',
      fee: '0',
      buyAmount: '107.9',
      rate: '1.07892',
      mid: '1.08',
      remainder: '0.0027892',
    });
  });

  it('of a purchase rounds the sold amount up, and keeps the remainder', () => {
    // 107.91 / 1.07892 = 100.01668…
    expect(shown(priced(EURO, ['EUR', 'USD'], { side: 'buy', amount: '107.91' }))).toEqual({
      sellAmount: '100.02',
      fee: '0',
      buyAmount: '107.91',
      rate: '1.07892',
      mid: '1.08',
      remainder: '0.0035784',
    });
  });

  it('includes the tenant’s spread in the rate, and shows the middle rate', () => {
    const price = priced(EURO, ['EUR', 'USD'], { amount: '100' }, { spreadBps: 25 });
    expect(shown(price)).toMatchObject({ rate: '1.0762227', mid: '1.08', buyAmount: '107.62' });
  });

  it('includes the fee in the debit: a percentage rounded up, and a fixed part per currency', () => {
    const terms = { feePercent: '0.5', feeFixed: [{ currency: 'EUR', amount: '0.30' }] };
    const sold = priced(EURO, ['EUR', 'USD'], { amount: '100.10' }, terms);
    // 0.5005 is 0.51; 99.29 × 1.07892 = 107.1259668
    expect(shown(sold)).toMatchObject({ sellAmount: '100.1', fee: '0.81', buyAmount: '107.12' });
    expect(shown(priced(EURO, ['USD', 'EUR'], { amount: '100.10' }, terms))).toMatchObject({ fee: '0.51' });
  });

  it('of a purchase has the same fee as a sale of its debit', () => {
    const amounts = fc.integer({ min: 1, max: 1_000_000_000 });
    const shares = fc.integer({ min: 0, max: 9_999 });
    fc.assert(
      fc.property(amounts, shares, fc.integer({ min: 0, max: 500 }), (minor, share, fixed) => {
        const amount = new Decimal(fixed).dividedBy(100).toFixed();
        const terms = {
          feePercent: new Decimal(share).dividedBy(100).toFixed(),
          feeFixed: [{ currency: 'EUR', amount }],
        };
        const side = 'buy' as const;
        const bought = priced(
          EURO,
          ['EUR', 'USD'],
          { side, amount: new Decimal(minor).dividedBy(100) },
          terms,
        );
        const sold = priced(EURO, ['EUR', 'USD'], { amount: bought.sellAmount }, terms);
        expect(sold.fee.toFixed()).toBe(bought.fee.toFixed());
        expect(sold.buyAmount.gte(bought.buyAmount)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it.each<[string, readonly [string, string], { side?: Side; amount: string }, Terms]>([
    ['that brings nothing', ['JPY', 'USD'], { amount: '1' }, {}],
    [
      'that is its fee',
      ['EUR', 'USD'],
      { amount: '0.30' },
      { feeFixed: [{ currency: 'EUR', amount: '0.30' }] },
    ],
    ['that is less than its fee', ['EUR', 'USD'], { amount: '0.01' }, { feePercent: '1' }],
    ['that brings more than an amount can be', ['EUR', 'JPY'], { amount: '99999999999999' }, {}],
    ['that takes more than an amount can be', ['JPY', 'EUR'], { side: 'buy', amount: '99999999999999' }, {}],
  ])('refuses an amount %s', (_, pair, asked, terms) => {
    expect(refusal(() => priced(EURO, pair, asked, terms))).toEqual(onAmount);
  });
});

/** A worth between 10⁻¹⁸ and 10¹⁵ with many digits, and a spread from zero to ten percent. */
const quotedArb = fc
  .tuple(fc.bigInt(1n, 10n ** 15n), fc.integer({ min: 0, max: 33 }), fc.integer({ min: 0, max: 100_000 }))
  .map(([digits, shift, spread]): Quoted => {
    const bid = new Decimal(digits.toString()).times(new Decimal(10).pow(-shift));
    return { bid, ask: bid.times(1 + spread / 1_000_000) };
  });
/** The reverse of a quoted rate with sixty digits, as the daily file has it. */
const reversedArb = quotedArb.map(({ bid }): Quoted => {
  const worth = new Decimal(1).dividedBy(bid);
  return { bid: worth, ask: worth };
});
const snapshotArb = fc
  .oneof(fc.tuple(...OTHERS.map(() => quotedArb)), fc.tuple(...OTHERS.map(() => reversedArb)))
  .map((quoted): Snapshot => {
    const rates = new Map(OTHERS.map((code, index) => [code, quoted[index] as Quoted]));
    return { base: BASE, asOf, rates };
  });
const termsArb = fc.record({
  spreadBps: fc.constantFrom(0, 0, 1, 250),
  feePercent: fc.constantFrom('0', '0', '0.000001', '1.5'),
  feeFixed: fc.constantFrom([], [{ currency: 'JPY', amount: '1' }]),
});
const stepArb = fc.tuple(fc.constantFrom(...ALL), fc.constantFrom<Side>('sell', 'buy'));

/**
 * Each step exchanges the whole amount: a sale sells it, and a purchase buys as much as a sale would bring. A purchase
 * may leave a rest. The rest counts only in the currency that the walk began with.
 */
function walk(snapshot: Snapshot, terms: Terms, steps: readonly (readonly [string, Side])[], given: Decimal) {
  const [begin] = steps[0] as readonly [string, Side];
  let held = given;
  let kept = new Decimal(0);
  let taken = 0;
  for (const [index, [from, side]] of steps.entries()) {
    const [to] = steps[(index + 1) % steps.length] as readonly [string, Side];
    if (from === to) continue;
    const sold = priced(snapshot, [from, to], { amount: held }, terms);
    const price =
      side === 'sell' ? sold : priced(snapshot, [from, to], { side, amount: sold.buyAmount }, terms);
    expect(price.sellAmount.lte(held)).toBe(true);
    expect(price.remainder.gte(0)).toBe(true);
    // Nothing is lost, to the last digit.
    const exchanged = price.sellAmount.minus(price.fee);
    expect(exchanged.times(price.rate).eq(price.buyAmount.plus(price.remainder))).toBe(true);
    for (const [amount, code] of [
      [price.buyAmount, to],
      [price.sellAmount, from],
    ] as const)
      expect(amount.decimalPlaces()).toBeLessThanOrEqual(decimalsOf(code));
    if (from === begin) kept = kept.plus(held).minus(price.sellAmount);
    held = price.buyAmount;
    taken += 1;
  }
  return { back: held.plus(kept), taken };
}

it('gains no minor unit by any chain of quotes of one snapshot, whatever its sides, currencies and fees', () => {
  const ended = { whole: 0, refused: 0 };
  fc.assert(
    fc.property(
      snapshotArb,
      termsArb,
      fc.array(stepArb, { minLength: 2, maxLength: 6 }),
      fc.bigInt(1n, 10n ** 33n),
      fc.integer({ min: 0, max: 30 }),
      (snapshot, terms, steps, digits, shift) => {
        const decimals = decimalsOf((steps[0] as readonly [string, Side])[0]);
        const minor = new Decimal(digits.toString()).times(new Decimal(10).pow(-shift)).floor();
        const given = Decimal.max(1, minor.modulo(new Decimal(10).pow(15 + decimals))).times(
          new Decimal(10).pow(-decimals),
        );
        const result = refusal(() => walk(snapshot, terms, steps, given)) as ReturnType<typeof walk>;
        if (!('back' in result)) {
          expect(result).toEqual(onAmount);
          ended.refused += 1;
          return;
        }
        expect(result.back.lte(given)).toBe(true);
        if (result.taken > 0) ended.whole += 1;
      },
    ),
    { numRuns: 10_000 },
  );
  expect(ended.whole).toBeGreaterThan(1_000);
});

it('gains nothing on a million rupiah through ether, whose rates differ by eight orders of magnitude', () => {
  const snapshot = snapshotOf({ IDR: ['0.000062', '0.000062'], ETH: ['3000', '3000'] });
  for (const sides of [
    ['sell', 'sell'],
    ['buy', 'sell'],
    ['sell', 'buy'],
    ['buy', 'buy'],
  ] as const) {
    const steps = [['IDR', sides[0]] as const, ['ETH', sides[1]] as const];
    const { back } = walk(snapshot, {}, steps, new Decimal('1000000'));
    expect([back.lte('1000000'), back.gte('999999')]).toEqual([true, true]);
  }
});
