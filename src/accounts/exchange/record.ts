import { z } from 'zod';
import type { Decimal } from '../../kernel/money/money';
import { keptDecimal } from '../../kernel/wire/schemas';

/** The terms of a price that its quote keeps. */
export const quotedTerms = z.object({
  toAccountId: z.string(),
  sellCurrency: z.string(),
  sellAmount: keptDecimal,
  fee: keptDecimal,
  buyCurrency: z.string(),
  buyAmount: keptDecimal,
  rate: keptDecimal,
  mid: keptDecimal,
  remainder: keptDecimal,
});

export type QuotedTerms = z.output<typeof quotedTerms>;

/**
 * A completed exchange between two accounts of a tenant. {@link import('./price').ExchangePrice} explains its amounts.
 */
export interface AccountExchange extends QuotedTerms {
  /** Also the reference of its account transactions. */
  id: string;
  tenantId: string;
  quoteId: string;
  fromAccountId: string;
  createdAt: Date;
}

/** The sold amount without the fee. */
export const exchangedAmount = ({ sellAmount, fee }: Pick<AccountExchange, 'sellAmount' | 'fee'>): Decimal =>
  sellAmount.minus(fee);
