import { z } from 'zod';
import { formatAmount } from '../../kernel/money/money';
import { instant, money } from '../../kernel/wire/schemas';
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
    description: 'The whole debit, in sellCurrency: what is exchanged, and the fee.',
  }),
  sellCurrency: z.string(),
  buyAmount: money().meta({ description: 'What is credited, in buyCurrency.' }),
  buyCurrency: z.string(),
  fee: money().meta({ description: 'Of sellAmount.' }),
  rate: rate('Of buyCurrency for one of sellCurrency: the bid less your spread.'),
  mid: rate('The middle that it came from.'),
};

const shownPrice = (
  terms: Omit<QuotedTerms, 'toAccountId' | 'remainder'>,
): z.output<z.ZodObject<typeof priced>> => ({
  sellAmount: formatAmount(terms.sellAmount, terms.sellCurrency),
  sellCurrency: terms.sellCurrency,
  buyAmount: formatAmount(terms.buyAmount, terms.buyCurrency),
  buyCurrency: terms.buyCurrency,
  fee: formatAmount(terms.fee, terms.sellCurrency),
  rate: terms.rate.toFixed(),
  mid: terms.mid.toFixed(),
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

export function exchangeQuoteView(quote: ExchangeQuote): z.output<typeof exchangeQuoteSchema> {
  const { quoteId, toAccountId, side, expiresAt } = quote;
  return { quoteId, toAccountId, side, ...shownPrice(quote), expiresAt: expiresAt.toISOString() };
}

export const exchangeSchema = z
  .object({
    id: z.string().meta({ examples: ['exc_01jz0000000000000000000000'] }),
    referenceId: z.string().meta({ description: 'Its id, as its account transactions have it.' }),
    quoteId: z.string(),
    fromAccountId: z.string(),
    toAccountId: z.string(),
    ...priced,
    transactions: z.array(accountTransactionSchema),
    createdAt: instant(),
  })
  .meta({ id: 'AccountExchange' });

/** Without its account transactions. */
export function exchangeFields(
  exchange: AccountExchange,
): Omit<z.output<typeof exchangeSchema>, 'transactions'> {
  const { id, quoteId, fromAccountId, toAccountId, createdAt } = exchange;
  return {
    ...{ id, referenceId: id, quoteId, fromAccountId, toAccountId },
    ...shownPrice(exchange),
    createdAt: createdAt.toISOString(),
  };
}

export function exchangeView({ exchange, entries }: Exchanged): z.output<typeof exchangeSchema> {
  const { fromAccountId, sellCurrency, buyCurrency } = exchange;
  const { createdAt, ...fields } = exchangeFields(exchange);
  return {
    ...fields,
    transactions: entries.map((entry) =>
      accountTransactionView(entry, entry.account === fromAccountId ? sellCurrency : buyCurrency),
    ),
    createdAt,
  };
}

export const rateSchema = z
  .object({
    from: z.string(),
    to: z.string(),
    bid: rate('What is paid for one of `from`, without your spread; rounded down.'),
    ask: rate('What one of `from` costs; rounded up.'),
    mid: rate('Between both.'),
    asOf: instant(),
    derived: z.boolean().meta({ description: 'By way of a third currency: nobody quotes the pair itself.' }),
  })
  .meta({ id: 'Rate' });

export const rateView = ({ from, to, bid, ask, mid, asOf, derived }: Rate): z.output<typeof rateSchema> => ({
  ...{ from, to, bid: bid.toFixed(), ask: ask.toFixed(), mid: mid.toFixed() },
  ...{ asOf: asOf.toISOString(), derived },
});
