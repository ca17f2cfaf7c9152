import { Decimal, roundTo, sumOf, ZERO } from '../../../kernel/money/money';
import type { LaterChange } from '../../sandbox/orders/book';
import { changeAt } from '../../sandbox/orders/moments';
import { type ExchangeScenario, exchangeScenarioOf } from './scenarios';

/** A taken exchange order. */
export interface Deal {
  key: string;
  /** The currency to sell. */
  currency: string;
  amount: Decimal;
  /** The currency to buy. */
  bought: string;
  minReceive: Decimal | null;
  /** Worth of one unit when the order was taken. Null before. */
  rate: Decimal | null;
  acceptedAt: Date | null;
}

/** The party's state of an order. Amounts are decimal strings. */
export interface DealReport {
  key: string;
  version: number;
  status: 'open' | 'filled' | 'failed';
  failureCode?: string;
  fills: { id: string; sold: string; bought: string }[];
}

export interface Fill {
  sold: Decimal;
  bought: Decimal;
}

/** `fills`: all fills that hold after the change. */
export type DealChange = Pick<DealReport, 'status' | 'failureCode'> &
  LaterChange & { fills: readonly Fill[] };

/** Seconds from an order to its first fill, and between fills, unless the scenario sets others. */
const FILL_SECONDS = 0.15;
const NEXT_FILL_SECONDS = 5;

const WHOLE: NonNullable<ExchangeScenario['fills']> = [{ share: '1', price: '1' }];

/** The changes of an order in their sequence, with seconds counted from the order. */
export function changesOf(deal: Deal): DealChange[] {
  const scenario = exchangeScenarioOf(deal.amount);
  const {
    refusal,
    decisionSeconds = FILL_SECONDS,
    filledAfterRefusalSeconds: later,
    undoneSeconds,
  } = scenario;
  const failed = (failureCode: string, afterSeconds: number): DealChange => ({
    status: 'failed',
    failureCode,
    fills: [],
    afterSeconds,
  });
  const fills = fillsOf(deal, scenario);
  const why = unfillable(deal, fills);
  const filled = (afterSeconds: number) =>
    why === undefined ? filling(deal, fills, afterSeconds) : [failed(why, afterSeconds)];
  const changes = refusal === undefined ? filled(decisionSeconds) : [failed(refusal, decisionSeconds)];
  if (refusal !== undefined && later !== undefined && why === undefined) changes.push(...filled(later));
  if (undoneSeconds !== undefined && why === undefined) changes.push(failed('deal_cancelled', undoneSeconds));
  return changes.filter(({ afterSeconds }) => Number.isFinite(afterSeconds));
}

/** The fills, at the table's price or worse. The last full share takes the rounding remainder of the sold amount. */
function fillsOf(
  { currency, amount, bought, rate }: Deal,
  { fills = WHOLE }: Partial<ExchangeScenario>,
): Fill[] {
  let share = ZERO;
  let before = ZERO;
  return fills.map((fill) => {
    share = share.plus(fill.share);
    const until = roundTo(amount.times(share), currency, Decimal.ROUND_DOWN);
    const sold = until.minus(before);
    before = until;
    const worth = sold.times(rate ?? ZERO).times(fill.price);
    return { sold, bought: roundTo(worth, bought, Decimal.ROUND_DOWN) };
  });
}

/** Why the order cannot be filled: `minReceive` allows all or nothing, and a fill needs two amounts above zero. */
function unfillable({ amount, minReceive }: Deal, fills: readonly Fill[]): string | undefined {
  const sum = (field: keyof Fill) => sumOf(fills.map((fill) => ({ amount: fill[field] })));
  if (fills.some(({ bought, sold }) => bought.isZero() || sold.isZero())) return 'amount_too_small';
  const isMet = minReceive === null || (sum('sold').eq(amount) && sum('bought').gte(minReceive));
  return isMet ? undefined : 'min_receive_not_met';
}

/** The changes by which an order is filled one fill at a time, or at once where it has `minReceive`. */
function filling({ minReceive }: Deal, fills: readonly Fill[], from: number): DealChange[] {
  const changes = fills.map(
    (_, index): DealChange => ({
      status: index === fills.length - 1 ? 'filled' : 'open',
      fills: fills.slice(0, index + 1),
      afterSeconds: from + index * NEXT_FILL_SECONDS,
    }),
  );
  return minReceive === null ? changes : changes.slice(-1);
}

/** The state of an order at that time. */
export function wordAt(deal: Deal, version: number, at: Date): DealReport {
  const { key, acceptedAt } = deal;
  const {
    afterSeconds: _,
    fills,
    ...now
  } = changeAt(changesOf(deal), acceptedAt, at) ?? { status: 'open', fills: [], afterSeconds: 0 };
  const shown = fills.map(({ sold, bought }, index) => ({
    id: `fill-${key}-${index + 1}`,
    sold: sold.toFixed(),
    bought: bought.toFixed(),
  }));
  return { key, version, ...now, fills: shown };
}
