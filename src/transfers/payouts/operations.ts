import type { Account } from '../../accounts/accounts/operations';
import type { Sql, Tx } from '../../kernel/db/database';
import type { Decimal } from '../../kernel/money/money';
import { assertFits } from '../../kernel/wire/schemas';
import type { PayoutMethod } from '../../parties/payouts/port';
import { createQuote } from '../../process/quotes/operations';
import type { Services } from '../../services';
import { settingsOf } from '../../tenants/clients/operations';
import { type PayoutPrice, priceOf, termsFor } from './price';
import { type PayoutOption, payoutSettingsSection } from './settings';

/** Lifetime of a quote. */
const QUOTE_SECONDS = 5 * 60;

/** The payout options of a tenant. @throws Problem 404 */
export async function payoutOptions(sql: Sql, tenantId: string): Promise<PayoutOption[]> {
  return (await settingsOf(sql, tenantId, payoutSettingsSection)).options;
}

export interface QuoteRequest {
  method: PayoutMethod;
  amount: Decimal;
  currency?: string | undefined;
}

export interface PayoutQuote extends PayoutPrice {
  quoteId: string;
  method: PayoutMethod;
  currency: string;
  expiresAt: Date;
}

/**
 * Prices a payout of an account for five minutes. Creates only the quote.
 * @throws Problem 404, 400 naming `method`, `currency` or `amount`, 503 when there is no fresh rate
 */
export async function quotePayout(
  { parties, now }: Pick<Services, 'parties' | 'now'>,
  tx: Tx,
  account: Account,
  request: QuoteRequest,
): Promise<PayoutQuote> {
  const { currency } = account;
  assertFits(request.amount, currency);
  const options = await payoutOptions(tx, account.tenantId);
  const terms = termsFor(options, request.method, currency, request.currency);
  const { bid: rate } = parties.rates.rate(currency, terms.currency);
  const price = priceOf(terms, { amount: request.amount, currency, rate });
  const quote = createQuote(tx, {
    tenantId: account.tenantId,
    accountId: account.id,
    kind: 'payout',
    terms: { method: terms.method, ...price },
    ttlSeconds: QUOTE_SECONDS,
    at: now(),
  });
  return { ...price, quoteId: quote.id, method: terms.method, currency, expiresAt: quote.expiresAt };
}
