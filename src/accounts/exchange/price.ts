import { invalid } from '../../kernel/errors';
import { Decimal, roundTo, toRate } from '../../kernel/money/money';
import { fixedFeeIn } from '../../kernel/wire/fees';
import type { Rate } from '../../parties/rates/port';
import type { ExchangeSettings } from './settings';

/** The side whose amount is given: `sell` leaves the account, fee included; `buy` is received by the other account. */
export const SIDES = ['sell', 'buy'] as const;
export type Side = (typeof SIDES)[number];

/** The price of an exchange (decisions part 4, Exchange). */
export interface ExchangePrice {
  /** The whole debit in the sold currency, fee included. */
  sellAmount: Decimal;
  /** The part of `sellAmount` that is the fee. */
  fee: Decimal;
  buyAmount: Decimal;
  /** Bought currency per unit of the sold one: the bid less the tenant's spread, with fifteen significant digits. */
  rate: Decimal;
  /** The market's middle rate, without spread. */
  mid: Decimal;
  /** The exact worth of the exchanged amount above `buyAmount`, in the bought currency; never negative. */
  remainder: Decimal;
}

const ONE = new Decimal(1);
/** Amounts of the API have at most fifteen integer digits. */
const LIMIT = new Decimal(10).pow(15);

/**
 * Prices an exchange. Each computed amount is rounded against the caller: the bought amount down, the sold amount and
 * the fee up. No chain of quotes of one snapshot can therefore gain a minor unit.
 * @param amount in the currency of `side`, with no more decimals than it allows
 * @throws Problem 400 naming `amount` when it does not exceed its fee, buys nothing, or leads to too large an amount
 */
export function priceOf(
  { from, to, bid, mid }: Pick<Rate, 'from' | 'to' | 'bid' | 'mid'>,
  settings: ExchangeSettings,
  { side, amount }: { side: Side; amount: Decimal },
): ExchangePrice {
  const spread = new Decimal(settings.spreadBps).dividedBy(10_000);
  const rate = toRate(bid.times(ONE.minus(spread)), Decimal.ROUND_DOWN);
  const fees = feesIn(settings, from);
  const { sellAmount, exchanged } =
    side === 'sell' ? sellExactly(amount, from, fees) : sellToBuy(amount, from, rate, fees);
  const worth = exchanged.times(rate);
  const buyAmount = side === 'sell' ? roundTo(worth, to, Decimal.ROUND_DOWN) : amount;
  if (buyAmount.isZero()) throw invalid(`amount must be large enough to buy some ${to}.`, 'amount');
  if (sellAmount.gte(LIMIT) || buyAmount.gte(LIMIT))
    throw invalid('amount must lead to amounts of at most 15 integer digits.', 'amount');
  const remainder = worth.minus(buyAmount);
  return { sellAmount, fee: sellAmount.minus(exchanged), buyAmount, rate, mid, remainder };
}

interface Fees {
  fixed: Decimal;
  /** As a fraction: 0.005 is half a percent. */
  share: Decimal;
}

function feesIn({ feePercent, feeFixed }: ExchangeSettings, currency: string): Fees {
  return { fixed: fixedFeeIn(feeFixed, currency), share: new Decimal(feePercent).dividedBy(100) };
}

interface Sold {
  sellAmount: Decimal;
  /** `sellAmount` without the fee. */
  exchanged: Decimal;
}

function sellExactly(sellAmount: Decimal, currency: string, { fixed, share }: Fees): Sold {
  const fee = fixed.plus(roundTo(sellAmount.times(share), currency, Decimal.ROUND_UP));
  if (fee.gte(sellAmount)) throw invalid('amount must exceed its fee.', 'amount');
  return { sellAmount, exchanged: sellAmount.minus(fee) };
}

/** The least debit that buys the amount. Its fee is that of a sale of this debit. */
function sellToBuy(amount: Decimal, currency: string, rate: Decimal, { fixed, share }: Fees): Sold {
  const exchanged = roundTo(amount.dividedBy(rate), currency, Decimal.ROUND_UP);
  const whole = exchanged.plus(fixed).dividedBy(ONE.minus(share));
  return { sellAmount: roundTo(whole, currency, Decimal.ROUND_UP), exchanged };
}
