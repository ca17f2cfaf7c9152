import { conflict, invalid } from '../../kernel/errors';
import { Decimal, percentOf, roundTo } from '../../kernel/money/money';
import { assertFits } from '../../kernel/wire/schemas';
import type { ExternalCardKind } from './record';
import type { ExternalCardTerms } from './settings';

/** @throws Problem 400 for too many decimals and an amount that its fee eats up, 409 `limit_exceeded` */
export function feeOf(
  kind: ExternalCardKind,
  amount: Decimal,
  currency: string,
  { min, max, feeFixed, feePercent }: ExternalCardTerms,
): Decimal {
  assertFits(amount, currency);
  if (amount.lt(min) || amount.gt(max))
    throw conflict('limit_exceeded', `amount must be from ${min} to ${max} ${currency}.`, 'amount');
  const fee = roundTo(new Decimal(feeFixed), currency).plus(
    percentOf(amount, new Decimal(feePercent), currency),
  );
  if (kind === 'topup' && fee.gte(amount)) throw invalid('amount must be more than its fee.', 'amount');
  return fee;
}
