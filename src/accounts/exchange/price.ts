import { invalid } from '../../kernel/errors';
import { Decimal, roundTo, toRate } from '../../kernel/money/money';
import { fixedFeeIn } from '../../kernel/wire/fees';
import type { Rate } from '../../parties/rates/port';
import type { ExchangeSettings } from './settings';

/** Which amount is given: `sell` what leaves the account, fee included; `buy` what the other account receives. */
export const SIDES = ['sell', 'buy'] as const;
export type Side = (typeof SIDES)[number];

/** What an exchange costs and brings (decisions part 4, Exchange). */
export interface ExchangePrice {
  /** The whole debit, in the sold currency: what is exchanged, and the fee. */
  sellAmount: Decimal;
  /** Of `sellAmount`. */
  fee: Decimal;
  buyAmount: Decimal;
  /** Of the bought currency for one of the sold: the bid less the tenant's spread, fifteen significant digits. */
  rate: Decimal;
  /** What the market says, without spread. */
  mid: Decimal;
  /** Of the bought currency, exact and never negative: what was exchanged is worth that much more than `buyAmount`. */
  remainder: Decimal;
}

const ONE = new Decimal(1);
/** The amounts of the API have fifteen integer digits at most. */
const LIMIT = new Decimal(10).pow(15);

/**
 * Prices an exchange. Each computed amount is rounded against whoever asks: what is bought down, what is sold and the fee up. So
 * no chain of quotes of one snapshot gains a minor unit, whatever its sides.
 * @param amount of the sold currency, or of the bought one by `side`; it fits its currency
 * @throws Problem 400 naming `amount` when it does not exceed its fee, brings nothing, or comes to more than an amount can be
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
    side === 'sell' ? soldFor(amount, from, fees) : soldToBring(amount, from, rate, fees);
  const worth = exchanged.times(rate);
  const buyAmount = side === 'sell' ? roundTo(worth, to, Decimal.ROUND_DOWN) : amount;
  if (buyAmount.isZero()) throw invalid(`amount must bring some ${to}: it brings none.`, 'amount');
  if (sellAmount.gte(LIMIT) || buyAmount.gte(LIMIT))
    throw invalid('amount must come to amounts of at most 15 integer digits.', 'amount');
  const remainder = worth.minus(buyAmount);
  return { sellAmount, fee: sellAmount.minus(exchanged), buyAmount, rate, mid, remainder };
}

interface Fees {
  fixed: Decimal;
  /** 0.005 is half a percent. */
  share: Decimal;
}

function feesIn({ feePercent, feeFixed }: ExchangeSettings, currency: string): Fees {
  return { fixed: fixedFeeIn(feeFixed, currency), share: new Decimal(feePercent).dividedBy(100) };
}

interface Sold {
  sellAmount: Decimal;
  /** Without the fee. */
  exchanged: Decimal;
}

function soldFor(sellAmount: Decimal, currency: string, { fixed, share }: Fees): Sold {
  const fee = fixed.plus(roundTo(sellAmount.times(share), currency, Decimal.ROUND_UP));
  if (fee.gte(sellAmount)) throw invalid('amount must exceed its fee.', 'amount');
  return { sellAmount, exchanged: sellAmount.minus(fee) };
}

/** The least debit that brings the amount; its fee is that of a sale of this debit. */
function soldToBring(amount: Decimal, currency: string, rate: Decimal, { fixed, share }: Fees): Sold {
  const exchanged = roundTo(amount.dividedBy(rate), currency, Decimal.ROUND_UP);
  const whole = exchanged.plus(fixed).dividedBy(ONE.minus(share));
  return { sellAmount: roundTo(whole, currency, Decimal.ROUND_UP), exchanged };
}
