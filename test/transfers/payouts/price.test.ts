import { Decimal } from '../../../src/kernel/money/money';
import { isAbove } from '../../../src/transfers/approval/needs-approval';
import { priceOf, termsFor } from '../../../src/transfers/payouts/price';
import { totalDebit } from '../../../src/transfers/payouts/record';
import { type PayoutOption, payoutSettings } from '../../../src/transfers/payouts/settings';

describe('the price of a payout', () => {
  const terms: PayoutOption = {
    method: 'swift',
    currency: 'EUR',
    min: '50.00',
    max: '1000.00',
    feeFixed: '15.00',
    feePercent: '0.1',
  };
  const amounts = (price: ReturnType<typeof priceOf>) =>
    [price.amount, price.fee, totalDebit(price), price.receivedAmount].map((amount) => amount.toFixed(2));

  it('in the same currency', () => {
    const price = priceOf(terms, { amount: new Decimal('100'), currency: 'EUR', rate: new Decimal(1) });
    expect(amounts(price)).toEqual(['100.00', '15.10', '115.10', '100.00']);
  });

  it('in another currency rounds the received amount down and each part of the fee up', () => {
    const rate = new Decimal('0.924999');
    const price = priceOf(terms, { amount: new Decimal('100.01'), currency: 'USD', rate });
    // 100.01 × 0.924999 = 92.50914…; 15 ÷ 0.924999 = 16.2162…; 0.1 % = 0.10001
    expect(amounts(price)).toEqual(['100.01', '16.33', '116.34', '92.50']);
  });

  it.each(['49.99', '1000.01'])('refuses an amount out of bounds: %s', (amount) => {
    const given = { amount: new Decimal(amount), currency: 'EUR', rate: new Decimal(1) };
    expect(() => priceOf(terms, given)).toThrow(
      'amount must give the destination from 50.00 to 1000.00 EUR.',
    );
  });

  it('is refused when nothing would be received, even without a lower bound', () => {
    const given = { amount: new Decimal('0.01'), currency: 'EUR', rate: new Decimal('0.9') };
    expect(() => priceOf({ ...terms, min: '0' }, given)).toThrow('the destination would receive no EUR');
  });

  it.each(['50.00', '1000.00'])('accepts an amount at a bound: %s', (amount) => {
    const given = { amount: new Decimal(amount), currency: 'EUR', rate: new Decimal(1) };
    expect(priceOf(terms, given).receivedAmount.toFixed(2)).toBe(amount);
  });

  it('uses the terms of the requested currency, of the account’s, or the only ones', () => {
    const { options } = payoutSettings.parse({});
    expect(termsFor(options, 'swift', 'USD', undefined).currency).toBe('USD');
    expect(termsFor(options, 'swift', 'USD', 'GBP').currency).toBe('GBP');
    expect(termsFor(options, 'sepa', 'USD', undefined).currency).toBe('EUR');
    expect(() => termsFor(options, 'sepa', 'USD', 'USD')).toThrow('currency must be one of EUR for sepa.');
    expect(() => termsFor(options, 'crypto', 'USD', undefined)).toThrow('currency must be one of USDT, USDC');
    expect(() => termsFor([], 'card', 'USD', undefined)).toThrow('method card is not among');
  });

  it('needs an approval above the threshold, and always without a threshold', () => {
    const above = [{ currency: 'EUR', amount: '100.00' }];
    expect(isAbove(new Decimal('100.00'), 'EUR', above)).toBe(false);
    expect(isAbove(new Decimal('100.01'), 'EUR', above)).toBe(true);
    expect(isAbove(new Decimal('0.01'), 'PLN', above)).toBe(true);
  });
});
