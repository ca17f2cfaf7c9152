import { conflict } from '../../../kernel/errors';
import { Decimal, percentOf, roundTo } from '../../../kernel/money/money';
import { assertFits } from '../../../kernel/wire/schemas';
import type { BankingSettings } from '../settings';

/** @throws Problem 400 for too many decimals, 409 `limit_exceeded` */
export function feeOf(
  amount: Decimal,
  { min, max, feeFixed, feePercent }: BankingSettings['payout'],
): Decimal {
  assertFits(amount, 'EUR');
  if (amount.lt(min) || amount.gt(max))
    throw conflict('limit_exceeded', `amount must be from ${min} to ${max} EUR.`, 'amount');
  return roundTo(new Decimal(feeFixed), 'EUR').plus(percentOf(amount, new Decimal(feePercent), 'EUR'));
}
