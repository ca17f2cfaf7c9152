import type { Account } from '../../../accounts/accounts/operations';
import type { Sql, Tx } from '../../../kernel/db/database';
import { invalid } from '../../../kernel/errors';
import { Decimal } from '../../../kernel/money/money';
import { assertFits } from '../../../kernel/wire/schemas';
import { createQuote, type Quote } from '../../../process/quotes/operations';
import type { Services } from '../../../services';
import { settingsOf } from '../../../tenants/clients/operations';
import { type DepositMethod, depositSettingsSection, type FundingTerms } from '../settings';
import { priceOf, type QuotedTerms, quotedTerms, requireTerms } from './price';

/** Lifetime of a quote. */
const QUOTE_SECONDS = 15 * 60;

/** The funding options of an account, by its tenant's programme. */
export async function fundingOptions(sql: Sql, account: Account): Promise<FundingTerms[]> {
  return (await settingsOf(sql, account.tenantId, depositSettingsSection)).options;
}

export interface DepositAsked {
  method: DepositMethod;
  amount: Decimal;
  /** The payer's currency. Absent: the account's. */
  currency?: string | undefined;
}

/** Prices a deposit at the present rate. @throws Problem 400 naming the field; 503 without a fresh rate */
export async function priceDeposit(
  { database, parties }: Pick<Services, 'database' | 'parties'>,
  account: Account,
  { method, amount, currency = account.currency }: DepositAsked,
): Promise<QuotedTerms> {
  const offered = requireTerms(await fundingOptions(database, account), { method, currency, amount });
  assertFits(amount, currency);
  await parties.rates.ready();
  const terms = {
    currency,
    accountCurrency: account.currency,
    rate: parties.rates.rate(currency, account.currency).bid,
    feeFixed: new Decimal(offered.feeFixed),
    feePercent: new Decimal(offered.feePercent),
  };
  const price = priceOf(amount, terms);
  if (!price) throw invalid('amount does not cover the fee.', 'amount');
  return { method, ...terms, ...price };
}

export function quoteDeposit(tx: Tx, account: Account, terms: QuotedTerms, at: Date): Quote {
  return createQuote(tx, {
    tenantId: account.tenantId,
    accountId: account.id,
    kind: 'deposit',
    terms,
    ttlSeconds: QUOTE_SECONDS,
    at,
  });
}

/** The terms of a quote. */
export const termsOf = (quote: Quote): QuotedTerms => quotedTerms.parse(quote.terms);
