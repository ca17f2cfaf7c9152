import { Decimal, toRate } from '../../kernel/money/money';

/** What one unit of a currency is worth in the base. Bid: what is paid for it; ask: what it costs. */
export interface Quoted {
  bid: Decimal;
  ask: Decimal;
}

/** Every rate of one moment: one bid and ask a currency against one base, of which every pair is derived. */
export interface Snapshot {
  base: string;
  asOf: Date;
  /** Without the base itself, which is one. */
  rates: ReadonlyMap<string, Quoted>;
}

/** What one unit of `from` is worth in `to`, at fifteen significant digits. */
export interface Rate {
  from: string;
  to: string;
  /** What is paid for it: rounded down. */
  bid: Decimal;
  /** What it costs: rounded up. */
  ask: Decimal;
  /** Between the middles of both currencies: for what is neither bought nor sold by us. */
  mid: Decimal;
  /** By way of the base: nobody quotes the pair itself. */
  derived: boolean;
  asOf: Date;
}

/** Digits of a quotient before it is rounded down or up. */
const QUOTIENT_DIGITS = 40;

/**
 * A source may tell the reverse of a rate: 1 / (1 / 1.0921) is 1.0921, and not, rounded down, 1.09209999999999. Forty digits
 * are more than any amount has, so that what they add to a rate never comes to a minor unit.
 */
const quotient = (dividend: Decimal, divisor: Decimal): Decimal =>
  dividend.dividedBy(divisor).toSignificantDigits(QUOTIENT_DIGITS);

const ONE = new Decimal(1);
const ITSELF: Quoted = { bid: ONE, ask: ONE };

/**
 * The rate of a pair: `from` is sold for the base at its bid, and `to` bought with it at its ask. So a chain of quotes of one
 * snapshot comes to the product of bid / ask of what it passes, which is never above one, whatever their order.
 * @returns nothing for a currency that the snapshot does not have
 */
export function rateIn({ base, asOf, rates }: Snapshot, from: string, to: string): Rate | undefined {
  const sold = from === base ? ITSELF : rates.get(from);
  const bought = to === base ? ITSELF : rates.get(to);
  if (!sold || !bought) return undefined;
  return {
    ...{ from, to, asOf },
    bid: toRate(quotient(sold.bid, bought.ask), Decimal.ROUND_DOWN),
    ask: toRate(quotient(sold.ask, bought.bid), Decimal.ROUND_UP),
    mid: toRate(quotient(sold.bid.plus(sold.ask), bought.bid.plus(bought.ask))),
    derived: from !== base && to !== base,
  };
}

/** Every currency that a snapshot has a rate of, the base among them. */
export const currenciesIn = ({ base, rates }: Snapshot): string[] => [base, ...rates.keys()].sort();

/** A currency in itself: one, whoever quotes. */
export const rateOfItself = (currency: string, asOf: Date): Rate => ({
  ...{ from: currency, to: currency, bid: ONE, ask: ONE, mid: ONE, derived: false, asOf },
});

/** The middle of every currency in the base, the base among them. */
export const midsOf = ({ base, rates }: Snapshot): Map<string, Decimal> =>
  new Map([
    [base, ONE],
    ...[...rates].map(([currency, { bid, ask }]) => [currency, bid.plus(ask).dividedBy(2)] as const),
  ]);
