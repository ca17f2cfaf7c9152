import { Decimal } from '../../../src/kernel/money/money';
import { creditFor, needsApproval, priceOf, termsFor } from '../../../src/transfers/payouts/price';
import {
  isFinal,
  nextReturnLook,
  PAYOUT_STATUSES,
  type PayoutStatus,
  type PayoutTrigger,
  requireTransition,
  stepsTo,
  TRANSITIONS,
} from '../../../src/transfers/payouts/rules';
import { type PayoutTerms, payoutSettings } from '../../../src/transfers/payouts/settings';

const TRIGGERS: PayoutTrigger[] = [
  'approval_required',
  'accepted',
  'approved',
  'rejected',
  'cancelled',
  'sent',
  'completed',
  'failed',
  'returned',
];
const REPORTED = ['processing', 'sent', 'completed', 'failed', 'returned'] as const;
const AT_PROVIDER: PayoutStatus[] = ['processing', 'sent', 'completed', 'failed', 'returned'];

describe('the state machine', () => {
  it('refuses everything that is no line of its table', () => {
    for (const from of PAYOUT_STATUSES) {
      for (const on of TRIGGERS) {
        const line = TRANSITIONS.find((each) => each.from === from && each.on === on);
        if (line) expect(requireTransition(from, on)).toBe(line);
        else expect(() => requireTransition(from, on)).toThrow(`A payout that is ${from} cannot be ${on}.`);
      }
    }
  });

  it('leaves a final status by the word of the party alone, and contradictions are marked', () => {
    const leaving = TRANSITIONS.filter(({ from }) => isFinal(from));
    expect(leaving.map(({ from, on, contradicts }) => [from, on, contradicts ?? false])).toEqual([
      ['completed', 'returned', false],
      ['failed', 'sent', true],
      ['completed', 'failed', true],
    ]);
  });

  it('reaches every status', () => {
    const reached = new Set<string>(['created', ...TRANSITIONS.map(({ to }) => to)]);
    expect([...reached].sort()).toEqual([...PAYOUT_STATUSES].sort());
  });

  it('has a way from wherever a payout stands to wherever the party has it, and stays there', () => {
    for (const status of AT_PROVIDER) {
      for (const reported of REPORTED) {
        let at: PayoutStatus = status;
        for (const on of stepsTo(status, reported)) at = requireTransition(at, on).to;
        // A second look at the same finds nothing to do.
        expect([status, reported, stepsTo(at, reported)]).toEqual([status, reported, []]);
      }
    }
  });

  it('never goes back on an old word', () => {
    expect(stepsTo('sent', 'processing')).toEqual([]);
    expect(stepsTo('completed', 'sent')).toEqual([]);
    expect(stepsTo('returned', 'completed')).toEqual([]);
    for (const reported of REPORTED)
      for (const status of ['created', 'pending_approval', 'rejected', 'cancelled'] as const)
        expect(stepsTo(status, reported)).toEqual([]);
  });

  it('looks again for a return 2, 10 and 45 days after completion', () => {
    const completed = new Date('2026-03-01T00:00:00.000Z');
    const day = (days: number) => new Date(completed.getTime() + days * 86_400_000);
    expect(nextReturnLook(completed, completed)).toEqual(day(2));
    expect(nextReturnLook(completed, day(2))).toEqual(day(10));
    expect(nextReturnLook(completed, day(44))).toEqual(day(45));
    expect(nextReturnLook(completed, day(45))).toBeNull();
  });
});

describe('prices', () => {
  const terms: PayoutTerms = {
    method: 'swift',
    currency: 'EUR',
    min: '50.00',
    max: '1000.00',
    feeFixed: '15.00',
    feePercent: '0.1',
  };
  const amounts = (price: ReturnType<typeof priceOf>) =>
    [price.amount, price.fee, price.totalDebit, price.receivedAmount].map((amount) => amount.toFixed(2));

  it('in the same currency', () => {
    const price = priceOf(terms, { amount: new Decimal('100'), currency: 'EUR', rate: new Decimal(1) });
    expect(amounts(price)).toEqual(['100.00', '15.10', '115.10', '100.00']);
  });

  it('in another: received rounded down, the fixed fee converted and rounded up', () => {
    const rate = new Decimal('0.924999');
    const price = priceOf(terms, { amount: new Decimal('100.01'), currency: 'USD', rate });
    // 100.01 × 0.924999 = 92.50914…; 15 ÷ 0.924999 = 16.2162…; 0.1 % = 0.10001
    expect(amounts(price)).toEqual(['100.01', '16.32', '116.33', '92.50']);
  });

  it.each(['49.99', '1000.01'])('names the amount outside of its bounds: %s', (amount) => {
    const given = { amount: new Decimal(amount), currency: 'EUR', rate: new Decimal(1) };
    expect(() => priceOf(terms, given)).toThrow('amount must bring from 50.00 to 1000.00 EUR.');
  });

  it.each(['50.00', '1000.00'])('takes its bounds: %s', (amount) => {
    const given = { amount: new Decimal(amount), currency: 'EUR', rate: new Decimal(1) };
    expect(priceOf(terms, given).receivedAmount.toFixed(2)).toBe(amount);
  });

  it('finds the terms of a method: the currency asked for, the account’s, or the only one', () => {
    const { options } = payoutSettings.parse({});
    expect(termsFor(options, 'swift', 'USD', undefined).currency).toBe('USD');
    expect(termsFor(options, 'swift', 'USD', 'GBP').currency).toBe('GBP');
    expect(termsFor(options, 'sepa', 'USD', undefined).currency).toBe('EUR');
    expect(() => termsFor(options, 'sepa', 'USD', 'USD')).toThrow('currency must be one of EUR for sepa.');
    expect(() => termsFor(options, 'crypto', 'USD', undefined)).toThrow('currency must be one of USDT, USDC');
    expect(() => termsFor([], 'card', 'USD', undefined)).toThrow('method card is not among');
  });

  it('an operator approves what is above the threshold, and everything without one', () => {
    const above = [{ currency: 'EUR', amount: '100.00' }];
    expect(needsApproval(new Decimal('100.00'), 'EUR', above)).toBe(false);
    expect(needsApproval(new Decimal('100.01'), 'EUR', above)).toBe(true);
    expect(needsApproval(new Decimal('0.01'), 'PLN', above)).toBe(true);
  });

  it('credits the whole with the whole, and a part in proportion', () => {
    const payout = { amount: new Decimal('100.01'), currency: 'USD', receivedAmount: new Decimal('92.50') };
    const credit = (returned: string) => creditFor(new Decimal(returned), payout).toFixed(2);
    expect([credit('92.50'), credit('93'), credit('46.25'), credit('0.00')]).toEqual([
      '100.01',
      '100.01',
      '50.00',
      '0.00',
    ]);
  });
});
