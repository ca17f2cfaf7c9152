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
    description: 'The whole debit in `sellCurrency`, fee included.',
  }),
  sellCurrency: z.string(),
  buyAmount: money().meta({ description: 'The credited amount, in `buyCurrency`.' }),
  buyCurrency: z.string(),
  fee: money().meta({ description: 'The part of `sellAmount` that is the fee.' }),
  rate: rate('`buyCurrency` per unit of `sellCurrency`: the bid less your spread.'),
  mid: rate('The middle rate behind it.'),
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

/** An exchange on the wire, without its account transactions. */
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
    bid: rate('`to` paid for one unit of `from`, without your spread; rounded down.'),
    ask: rate('`to` charged for one unit of `from`; rounded up.'),
    mid: rate('The middle of bid and ask.'),
    asOf: instant(),
    derived: z.boolean().meta({
      description: 'True when the rate goes through a third currency, because the pair itself is not quoted.',
    }),
  })
  .meta({ id: 'Rate' });

export const rateView = ({ from, to, bid, ask, mid, asOf, derived }: Rate): z.output<typeof rateSchema> => ({
  ...{ from, to, bid: bid.toFixed(), ask: ask.toFixed(), mid: mid.toFixed() },
  ...{ asOf: asOf.toISOString(), derived },
});
