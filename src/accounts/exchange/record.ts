import { z } from 'zod';
import type { Decimal } from '../../kernel/money/money';
import { keptDecimal } from '../../kernel/wire/schemas';

/** A price as its quote keeps it, with what it was asked for. */
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
 * An exchange between two accounts of a tenant, completed as it was made. Amounts are in their currencies; see
 * {@link import('./price').ExchangePrice} for what they mean.
 */
export interface AccountExchange extends QuotedTerms {
  /** Also the reference of its account transactions. */
  id: string;
  tenantId: string;
  quoteId: string;
  fromAccountId: string;
  createdAt: Date;
}

/** What leaves the sold account beside the fee. */
export const exchangedAmount = ({ sellAmount, fee }: Pick<AccountExchange, 'sellAmount' | 'fee'>): Decimal =>
  sellAmount.minus(fee);
