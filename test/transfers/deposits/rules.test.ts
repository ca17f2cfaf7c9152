import { PREFIXES } from '../../../src/kernel/ids';
import { Decimal, ZERO } from '../../../src/kernel/money/money';
import {
  leftOver,
  type Portion,
  type Price,
  portionOf,
  priceOf,
} from '../../../src/transfers/deposits/quotes/price';
import { DEPOSIT_STATUSES } from '../../../src/transfers/deposits/record';
import {
  DEPOSIT_TRANSITIONS,
  type DepositTrigger,
  isTold,
  requireTransition,
  statusAfter,
} from '../../../src/transfers/deposits/rules';

/** Interface 3.2 and decisions part 4, line by line, as `from on → to`. */
const SAID = [
  'null created → created',
  'created session_made → awaiting_payment',
  'created session_refused → failed',
  'created expired → expired',
  'awaiting_payment paid → processing',
  'awaiting_payment payment_failed → failed',
  'awaiting_payment cancelled → cancelled',
  'awaiting_payment expired → expired',
  'processing payment_failed → failed',
  'processing questioned → manual_review',
  'processing settled → completed',
  'expired paid_late → manual_review',
  'cancelled paid_late → manual_review',
  'failed paid_late → manual_review',
  'manual_review approved → completed',
  'manual_review returned → failed',
  'manual_review payment_failed → failed',
  'completed refunded → refunded',
  'completed charged_back → chargeback',
];

describe('the state machine', () => {
  it('is the table of the decisions, and nothing else', () => {
    expect(DEPOSIT_TRANSITIONS.map(({ from, on, to }) => `${from} ${on} → ${to}`)).toEqual(SAID);
  });

  it('refuses everything that is not in it', () => {
    const triggers = [...new Set(DEPOSIT_TRANSITIONS.map(({ on }) => on))] as DepositTrigger[];
    let refused = 0;
    for (const from of DEPOSIT_STATUSES) {
      for (const on of triggers) {
        if (statusAfter(from, on)) continue;
        expect(() => requireTransition(from, on)).toThrow(
          expect.objectContaining({ code: 'invalid_transition' }),
        );
        refused += 1;
      }
    }
    expect(refused).toBe(DEPOSIT_STATUSES.length * triggers.length - (SAID.length - 1));
  });

  it('tells of what 3.2 says, and not of what comes before', () => {
    expect(DEPOSIT_STATUSES.filter((status) => !isTold(status))).toEqual([
      'created',
      'awaiting_payment',
      'processing',
    ]);
  });
});

/** A generator of numbers that is the same at every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

const random = seeded(20_261_121);
const between = (least: number, most: number) => least + Math.floor(random() * (most - least + 1));
const cents = (count: number) => new Decimal(count).dividedBy(100);

describe('the price', () => {
  it('adds up to the minor unit, whatever is charged', () => {
    for (let round = 0; round < 2_000; round += 1) {
      const terms = {
        currency: 'EUR',
        accountCurrency: 'USD',
        rate: new Decimal(between(1, 30_000)).dividedBy(10_000),
        feeFixed: cents(between(0, 99)),
        feePercent: cents(between(0, 999)),
      };
      const charged = cents(between(1, 1_000_000));
      const price = priceOf(charged, terms);
      const gross = charged.times(terms.rate).toDecimalPlaces(2);
      if (price) expect(price.creditedAmount.plus(price.serviceFee)).toEqual(gross);
      else
        expect(
          charged
            .times(terms.feePercent)
            .dividedBy(100)
            .plus(terms.feeFixed)
            .times(terms.rate)
            .toDecimalPlaces(2)
            .gte(gross),
        ).toBe(true);
    }
  });
});

describe('what is taken back', () => {
  it.each(['USD', 'EUR'])(
    'in however many parts, is in the end what was charged, credited and kept: %s',
    (currency) => {
      for (let round = 0; round < 300; round += 1) {
        const rate =
          currency === 'USD' ? new Decimal(1) : new Decimal(between(5_000, 20_000)).dividedBy(10_000);
        const charged = cents(between(50, 50_000));
        const terms = {
          currency,
          accountCurrency: 'USD',
          rate,
          feeFixed: cents(between(0, 20)),
          feePercent: cents(between(0, 500)),
        };
        const price = priceOf(charged, terms) as Price;
        const taken: Portion[] = [];
        while (leftOver(charged, taken).gt(0)) {
          const left = leftOver(charged, taken);
          const part = taken.length > 20 ? left : Decimal.min(left, cents(between(1, 20_000)));
          const portion = portionOf(part, price, taken, 'USD');
          expect(portion.debit.gte(0) && portion.gross.gte(portion.debit)).toBe(true);
          if (currency === 'USD') expect(portion.gross).toEqual(part);
          taken.push(portion);
        }
        const sum = (of: 'debit' | 'gross') =>
          taken.reduce((total, portion) => total.plus(portion[of]), ZERO);
        expect(sum('debit')).toEqual(price.creditedAmount);
        expect(sum('gross')).toEqual(price.creditedAmount.plus(price.serviceFee));
        const beyond = portionOf(cents(5), price, taken, 'USD');
        expect([beyond.debit.isZero(), beyond.excess]).toEqual([true, cents(5)]);
      }
    },
  );
});

it('has prefixes of its own', () => {
  const { deposit, depositRefund } = PREFIXES;
  expect([deposit, depositRefund]).toEqual(['dep', 'rfd']);
});
