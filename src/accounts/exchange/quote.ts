import type { Tx } from '../../kernel/db/database';
import { invalid } from '../../kernel/errors';
import type { Decimal } from '../../kernel/money/money';
import { assertFits } from '../../kernel/wire/schemas';
import { createQuote } from '../../process/quotes/operations';
import type { Services } from '../../services';
import { settingsOf } from '../../tenants/clients/operations';
import { requireAccount } from '../accounts/operations';
import type { Account } from '../accounts/record';
import { type ExchangePrice, priceOf, type Side } from './price';
import { exchangeSettingsSection } from './settings';

/** How long a quote is valid. */
const QUOTE_SECONDS = 30;

export interface QuoteRequest {
  toAccountId: string;
  amount: Decimal;
  side: Side;
}

export interface ExchangeQuote extends ExchangePrice {
  quoteId: string;
  toAccountId: string;
  sellCurrency: string;
  buyCurrency: string;
  side: Side;
  expiresAt: Date;
}

/**
 * Quotes an exchange between two accounts of a tenant. The price is valid for thirty seconds; nothing is booked.
 * @throws Problem 404 `toAccountId`; 400 naming `toAccountId` (the same currency) or `amount`; 503 without a fresh rate
 */
export async function quoteExchange(
  { parties, now }: Pick<Services, 'parties' | 'now'>,
  tx: Tx,
  from: Account,
  { toAccountId, amount, side }: QuoteRequest,
): Promise<ExchangeQuote> {
  const { id: accountId, tenantId } = from;
  // The tenant is checked for an admin too, because money never crosses between tenants.
  const to = await requireAccount(tx, tenantId, toAccountId, 'toAccountId');
  const [sellCurrency, buyCurrency] = [from.currency, to.currency];
  if (sellCurrency === buyCurrency)
    throw invalid(`toAccountId must be an account in a currency other than ${sellCurrency}.`, 'toAccountId');
  assertFits(amount, side === 'sell' ? sellCurrency : buyCurrency);
  const settings = await settingsOf(tx, tenantId, exchangeSettingsSection);
  const price = priceOf(parties.rates.rate(sellCurrency, buyCurrency), settings, { side, amount });
  const terms = { toAccountId, sellCurrency, buyCurrency, ...price };
  const { id: quoteId, expiresAt } = createQuote(tx, {
    tenantId,
    accountId,
    kind: 'account_exchange',
    terms,
    ttlSeconds: QUOTE_SECONDS,
    at: now(),
  });
  return { ...terms, side, quoteId, expiresAt };
}
