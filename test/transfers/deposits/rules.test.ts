import { PREFIXES } from '../../../src/kernel/ids';
import { Decimal } from '../../../src/kernel/money/money';
import { priceOf } from '../../../src/transfers/deposits/quotes/price';
import { DEPOSIT_STATUSES, TOLD_STATUSES } from '../../../src/transfers/deposits/record';
import { DEPOSIT_TRANSITIONS } from '../../../src/transfers/deposits/rules';
import { linesOf } from '../engine/lines';

/** The transitions of interface 3.2 and decisions part 4, as `from on → to`. */
const SAID = [
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
  'manual_review let_out → failed',
  'manual_review payment_failed → failed',
  'completed refunded → refunded',
  'completed charged_back → chargeback',
];

describe('the state machine', () => {
  it('has exactly the transitions of the decisions', () => {
    const lines = linesOf(DEPOSIT_TRANSITIONS).map(({ from, on, to }) => `${from} ${on} → ${to}`);
    expect(lines.sort()).toEqual([...SAID].sort());
  });

  it('has one transition for each status and trigger, between known statuses', () => {
    const ways = linesOf(DEPOSIT_TRANSITIONS).map(({ from, on }) => `${from} ${on}`);
    expect(new Set(ways).size).toBe(ways.length);
    for (const { from, to } of linesOf(DEPOSIT_TRANSITIONS))
      expect(DEPOSIT_STATUSES).toEqual(expect.arrayContaining([from, to]));
  });

  it('sends webhooks for the statuses of 3.2, and not for the earlier ones', () => {
    expect(DEPOSIT_STATUSES.filter((status) => !TOLD_STATUSES.includes(status))).toEqual([
      'created',
      'awaiting_payment',
      'processing',
    ]);
  });
});

/** A generator of random numbers that is the same in every run. */
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
  it('adds up to the minor unit for every charge', () => {
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

it('has prefixes of its own', () => {
  const { deposit, depositRefund } = PREFIXES;
  expect([deposit, depositRefund]).toEqual(['dep', 'rfd']);
});
