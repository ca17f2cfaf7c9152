import { z } from 'zod';
import { conflict, invalid } from '../../../kernel/errors';
import { Decimal, formatAmount, roundTo } from '../../../kernel/money/money';
import { keptDecimal as decimal } from '../../../kernel/wire/schemas';
import { DEPOSIT_METHODS, type DepositMethod, type FundingTerms } from '../settings';

/** Terms of a deposit as its quote stores them. */
export const quotedTerms = z.object({
  method: z.enum(DEPOSIT_METHODS),
  /** The payer's currency. */
  currency: z.string(),
  accountCurrency: z.string(),
  /** Units of the account's currency for one unit of the payer's. */
  rate: decimal,
  /** In the payer's currency. */
  feeFixed: decimal,
  feePercent: decimal,
  /** In the payer's currency. */
  chargedAmount: decimal,
  /** In the account's currency, like the fee. */
  creditedAmount: decimal,
  serviceFee: decimal,
});

export type QuotedTerms = z.output<typeof quotedTerms>;
/** The price of a deposit: `chargedAmount` × `rate`, rounded, = `creditedAmount` + `serviceFee`. */
export type Price = Pick<QuotedTerms, 'chargedAmount' | 'creditedAmount' | 'serviceFee'>;
export type PriceTerms = Omit<QuotedTerms, 'method' | keyof Price>;

/**
 * Prices a charge. The fee is rounded half up to the account's minor unit, and the credit is the exact rest.
 * Undefined when the fee leaves nothing to credit.
 */
export function priceOf(chargedAmount: Decimal, terms: PriceTerms): Price | undefined {
  const { accountCurrency, rate, feeFixed, feePercent } = terms;
  const gross = roundTo(chargedAmount.times(rate), accountCurrency);
  const charge = feeFixed.plus(chargedAmount.times(feePercent).dividedBy(100));
  const serviceFee = roundTo(charge.times(rate), accountCurrency);
  const creditedAmount = gross.minus(serviceFee);
  return creditedAmount.gt(0) ? { chargedAmount, creditedAmount, serviceFee } : undefined;
}

/** Prices a payment that differs from the quote. @throws Problem 409 when the terms give no price for it */
export function requirePriceOf(paid: { amount: Decimal; currency: string }, terms: PriceTerms): Price {
  const price = paid.currency === terms.currency ? priceOf(paid.amount, terms) : undefined;
  if (price) return price;
  throw conflict(
    'invalid_transition',
    `${formatAmount(paid.amount, paid.currency)} ${paid.currency} cannot be credited by the deposit's terms: reject it, which returns it to the payer.`,
  );
}

/** @throws Problem 400 naming the field when the tenant's programme does not offer the method, currency or amount */
export function requireTerms(
  options: readonly FundingTerms[],
  asked: { method: DepositMethod; currency: string; amount: Decimal },
): FundingTerms {
  const ofMethod = options.filter(({ method }) => method === asked.method);
  if (ofMethod.length === 0) throw invalid(`method ${asked.method} is not offered.`, 'method');
  const terms = ofMethod.find(({ currency }) => currency === asked.currency);
  if (!terms) throw invalid(`currency ${asked.currency} is not offered for ${asked.method}.`, 'currency');
  if (asked.amount.lt(terms.min) || asked.amount.gt(terms.max)) {
    const [min, max] = [terms.min, terms.max].map((text) => formatAmount(new Decimal(text), asked.currency));
    throw invalid(`amount must be from ${min} to ${max} ${asked.currency}.`, 'amount');
  }
  return terms;
}
