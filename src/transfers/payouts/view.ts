import { z } from 'zod';
import { Decimal, formatAmount, formatAmounts } from '../../kernel/money/money';
import { instant, money } from '../../kernel/wire/schemas';
import { shown } from '../../kernel/wire/shown';
import { PAYOUT_METHODS } from '../../parties/payouts/port';
import { DESTINATION_FIELDS, destinationSchema } from './destinations/destination';
import type { PayoutQuote } from './operations';
import { creditedBack } from './position';
import {
  type Outgoing,
  PAYOUT_STATUSES,
  type PayoutStatus,
  type PayoutTerms,
  type ShownPayout,
  totalDebit,
} from './record';
import { descriptionOf } from './rules';
import type { PayoutOption } from './settings';

export const payoutOptionSchema = z
  .object({
    method: z.enum(PAYOUT_METHODS),
    currency: z.string().meta({
      description: 'Currency that the destination receives. Also the currency of `min`, `max` and `fees`.',
    }),
    min: money(),
    max: money(),
    fees: z.object({ fixed: money(), percent: z.string().meta({ examples: ['0.5'] }) }),
    destinationFields: z.array(z.object({ name: z.string(), required: z.boolean() })),
  })
  .meta({ id: 'PayoutOption' });

export function payoutOptionView(terms: PayoutOption) {
  const { method, currency } = terms;
  const text = (amount: string) => formatAmount(new Decimal(amount), currency);
  return shown(payoutOptionSchema, terms, {
    min: text(terms.min),
    max: text(terms.max),
    fees: { fixed: text(terms.feeFixed), percent: terms.feePercent },
    destinationFields: DESTINATION_FIELDS[method].map(({ name, required }) => ({ name, required })),
  });
}

export const priced = {
  amount: money(),
  fee: money(),
  totalDebit: money(),
  currency: z.string(),
  receivedAmount: money(),
  receivedCurrency: z.string(),
  rate: z.string().meta({ examples: ['1.07892'] }),
};

export const payoutQuoteSchema = z
  .object({ quoteId: z.string(), method: z.enum(PAYOUT_METHODS), ...priced, expiresAt: instant() })
  .meta({ id: 'PayoutQuote' });

export const payoutQuoteView = (quote: PayoutQuote) => shown(payoutQuoteSchema, quote, priceTexts(quote));

/** Fields of a payout of either kind. */
export const payoutFields = {
  quoteId: z.string(),
  externalId: z.string().optional(),
  ...outgoingFields(),
};

export const returnedAmount = () =>
  money().optional().meta({ description: 'The amount that was credited back.' });

/** Fields of any money that is paid out of an account. */
export function outgoingFields() {
  return {
    status: z.enum(PAYOUT_STATUSES).meta({
      description: '`processing` becomes `cancelled` only before any party was told to pay.',
    }),
    amount: money(),
    fee: money(),
    totalDebit: money(),
    description: z
      .string()
      .optional()
      .meta({ description: 'The operator’s reason for a rejection, or until when a new destination rests.' }),
    failure: z
      .string()
      .optional()
      .meta({ description: 'Code of the reason, for a failed, cancelled or returned transfer.' }),
    createdAt: instant(),
    updatedAt: instant(),
    sentAt: instant().optional(),
    completedAt: instant().optional(),
  };
}

/** The values of a payout of either kind, from its transfer and its details. */
export const payoutValues = ({ payout, details, destination }: ShownPayout) => ({
  ...details,
  ...outgoingValues(payout),
  destination,
});

/** @param noun noun in texts for the client */
export function outgoingValues(payout: Outgoing, noun?: string) {
  const { accountId, status, terms, reached } = payout.transfer;
  const { amount, fee, currency } = terms;
  return {
    ...payout.transfer,
    accountId: accountId ?? '',
    status: status as PayoutStatus,
    currency,
    ...formatAmounts({ amount, fee, totalDebit: totalDebit(terms) }, currency),
    description: descriptionOf(payout, noun),
    sentAt: reached['sent'],
    completedAt: reached['completed'],
    returnedAt: reached['returned'],
  };
}

/**
 * A payout in the API (decisions part 4, Payouts). Its account transactions have its id as their `referenceId`. Later
 * returns have a `referenceId` of their own, and the payout's id as `linkedId`.
 */
export const payoutSchema = z
  .object({
    id: z.string().meta({ examples: ['pay_01jz0000000000000000000000'] }),
    accountId: z.string(),
    method: z.enum(PAYOUT_METHODS),
    ...priced,
    ...payoutFields,
    destination: destinationSchema
      .partial()
      .meta({ description: 'Masked. Empty once the user of the account was erased.' }),
    returnedAmount: returnedAmount(),
    returnedAt: instant().optional(),
  })
  .meta({ id: 'Payout' });

export function payoutView(given: ShownPayout) {
  const { terms } = given.payout.transfer;
  const returned = creditedBack(given.payout);
  return shown(payoutSchema, payoutValues(given), {
    method: terms.method,
    ...priceTexts(terms),
    returnedAmount: returned && formatAmount(returned, terms.currency),
  });
}

export const priceTexts = (price: Omit<PayoutTerms, 'method' | 'needsApproval' | 'rest'>) => ({
  ...formatAmounts({ amount: price.amount, fee: price.fee, totalDebit: totalDebit(price) }, price.currency),
  receivedAmount: formatAmount(price.receivedAmount, price.receivedCurrency),
  receivedCurrency: price.receivedCurrency,
  rate: price.rate.toFixed(),
});
