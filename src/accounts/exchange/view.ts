import { z } from 'zod';
import { formatAmount, formatAmounts } from '../../kernel/money/money';
import { instant, money } from '../../kernel/wire/schemas';
import { shown } from '../../kernel/wire/shown';
import type { Rate } from '../../parties/rates/port';
import { accountTransactionSchema, accountTransactionView } from '../accounts/view';
import type { Exchanged } from './operations';
import { SIDES } from './price';
import type { ExchangeQuote } from './quote';
import type { AccountExchange, QuotedTerms } from './record';

const rate = (description: string) =>
  z.string().meta({ examples: ['1.07892'], description: `${description} Fifteen significant digits.` });

const priced = {
  sellAmount: money().meta({
    description: 'The whole debit in `sellCurrency`, fee included.',
  }),
  sellCurrency: z.string(),
  buyAmount: money().meta({ description: 'The credited amount, in `buyCurrency`.' }),
  buyCurrency: z.string(),
  fee: money().meta({ description: 'The part of `sellAmount` that is the fee.' }),
  rate: rate('`buyCurrency` per unit of `sellCurrency`: the bid less your spread.'),
  mid: rate('The middle rate behind it.'),
};

const priceTexts = (price: Omit<QuotedTerms, 'toAccountId' | 'remainder'>) => ({
  ...formatAmounts({ sellAmount: price.sellAmount, fee: price.fee }, price.sellCurrency),
  buyAmount: formatAmount(price.buyAmount, price.buyCurrency),
  rate: price.rate.toFixed(),
  mid: price.mid.toFixed(),
});

export const exchangeQuoteSchema = z
  .object({
    quoteId: z.string(),
    toAccountId: z.string(),
    side: z.enum(SIDES),
    ...priced,
    expiresAt: instant(),
  })
  .meta({ id: 'AccountExchangeQuote' });

export const exchangeQuoteView = (quote: ExchangeQuote) =>
  shown(exchangeQuoteSchema, quote, priceTexts(quote));

export const exchangeSchema = z
  .object({
    id: z.string().meta({ examples: ['exc_01jz0000000000000000000000'] }),
    referenceId: z
      .string()
      .meta({ description: 'The id, which is also the `referenceId` of its account transactions.' }),
    quoteId: z.string(),
    fromAccountId: z.string(),
    toAccountId: z.string(),
    ...priced,
    transactions: z.array(accountTransactionSchema),
    createdAt: instant(),
  })
  .meta({ id: 'AccountExchange' });

const fieldsSchema = exchangeSchema.omit({ transactions: true });

/** An exchange on the wire, without its account transactions. */
export const exchangeFields = (exchange: AccountExchange) =>
  shown(fieldsSchema, exchange, { referenceId: exchange.id, ...priceTexts(exchange) });

export const exchangeView = ({ exchange, entries }: Exchanged) =>
  shown(exchangeSchema, exchange, {
    referenceId: exchange.id,
    ...priceTexts(exchange),
    transactions: entries.map((entry) =>
      accountTransactionView(
        entry,
        entry.account === exchange.fromAccountId ? exchange.sellCurrency : exchange.buyCurrency,
      ),
    ),
  });

export const rateSchema = z
  .object({
    from: z.string().describe('Currency that is sold.'),
    to: z.string().describe('Currency that is bought.'),
    bid: rate('`to` paid for one unit of `from`, without your spread; rounded down.'),
    ask: rate('`to` charged for one unit of `from`; rounded up.'),
    mid: rate('The middle of bid and ask.'),
    asOf: instant(),
    derived: z.boolean().meta({
      description: 'True when the rate goes through a third currency, because the pair itself is not quoted.',
    }),
  })
  .meta({ id: 'Rate' });

export const rateView = (rate: Rate) =>
  shown(rateSchema, rate, { bid: rate.bid.toFixed(), ask: rate.ask.toFixed(), mid: rate.mid.toFixed() });
