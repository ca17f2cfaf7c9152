import { Decimal, toRate } from '../../kernel/money/money';

/** Worth of one unit of a currency in the base. We buy at the bid and sell at the ask. */
export interface Quoted {
  bid: Decimal;
  ask: Decimal;
}

/** All rates of one moment: a bid and an ask for each currency against one base. Every pair follows from them. */
export interface Snapshot {
  base: string;
  asOf: Date;
  /** Without the base. */
  rates: ReadonlyMap<string, Quoted>;
}

/** Worth of one unit of `from` in `to`, at fifteen significant digits. */
export interface Rate {
  from: string;
  to: string;
  /** The price at which we buy, rounded down. */
  bid: Decimal;
  /** The price at which we sell, rounded up. */
  ask: Decimal;
  /** The ratio of both middles, for conversions without a trade. */
  mid: Decimal;
  /** Whether the rate goes through the base, because no source quotes the pair itself. */
  derived: boolean;
  asOf: Date;
}

/** Digits of a quotient before it is rounded down or up. */
const QUOTIENT_DIGITS = 40;

/**
 * A quotient at forty digits, before it is rounded to a rate. A source may give a reciprocal: 1 / (1 / 1.0921) must be
 * 1.0921, not 1.09209999999999. The digits exceed those of any amount, so they never add a minor unit.
 */
const quotient = (dividend: Decimal, divisor: Decimal): Decimal =>
  dividend.dividedBy(divisor).toSignificantDigits(QUOTIENT_DIGITS);

const ONE = new Decimal(1);
const ITSELF: Quoted = { bid: ONE, ask: ONE };

/**
 * The rate of a pair: `from` is sold for the base at its bid, and `to` is bought at its ask. A chain of rates of one
 * snapshot therefore never gains, because it multiplies ratios of bid to ask.
 * @returns undefined for a currency that the snapshot lacks
 */
export function rateIn({ base, asOf, rates }: Snapshot, from: string, to: string): Rate | undefined {
  const sold = from === base ? ITSELF : rates.get(from);
  const bought = to === base ? ITSELF : rates.get(to);
  if (!sold || !bought) return undefined;
  return {
    from,
    to,
    asOf,
    bid: toRate(quotient(sold.bid, bought.ask), Decimal.ROUND_DOWN),
    ask: toRate(quotient(sold.ask, bought.bid), Decimal.ROUND_UP),
    mid: toRate(quotient(sold.bid.plus(sold.ask), bought.bid.plus(bought.ask))),
    derived: from !== base && to !== base,
  };
}

/** All currencies of a snapshot, with the base. */
export const currenciesIn = ({ base, rates }: Snapshot): string[] => [base, ...rates.keys()].sort();

/** The rate of a currency to itself, which is one. */
export const rateOfItself = (currency: string, asOf: Date): Rate => ({
  from: currency,
  to: currency,
  bid: ONE,
  ask: ONE,
  mid: ONE,
  derived: false,
  asOf,
});

/** The middle of every currency in the base, with the base. */
export const midsOf = ({ base, rates }: Snapshot): Map<string, Decimal> =>
  new Map([
    [base, ONE],
    ...[...rates].map(([currency, { bid, ask }]) => [currency, bid.plus(ask).dividedBy(2)] as const),
  ]);
