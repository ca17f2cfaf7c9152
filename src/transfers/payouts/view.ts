import { z } from 'zod';
import { Decimal, formatAmount } from '../../kernel/money/money';
import { instant, money } from '../../kernel/wire/schemas';
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

export function payoutOptionView(terms: PayoutOption): z.output<typeof payoutOptionSchema> {
  const { method, currency } = terms;
  const shown = (amount: string) => formatAmount(new Decimal(amount), currency);
  return {
    method,
    currency,
    min: shown(terms.min),
    max: shown(terms.max),
    fees: { fixed: shown(terms.feeFixed), percent: terms.feePercent },
    destinationFields: DESTINATION_FIELDS[method].map(({ name, required }) => ({ name, required })),
  };
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

export function payoutQuoteView(quote: PayoutQuote): z.output<typeof payoutQuoteSchema> {
  return {
    quoteId: quote.quoteId,
    method: quote.method,
    ...shownPrice(quote),
    expiresAt: quote.expiresAt.toISOString(),
  };
}

/** Fields of a payout of either kind. */
export const payoutFields = {
  quoteId: z.string(),
  externalId: z.string().optional(),
  ...outgoingFields(),
};

/** Fields of any money that is paid out of an account. */
export function outgoingFields() {
  return {
    status: z.enum(PAYOUT_STATUSES).meta({
      description: '`processing` becomes `cancelled` only before any party was told to pay.',
    }),
    amount: money(),
    fee: money(),
    totalDebit: money(),
    description: z.string().optional().meta({ description: 'The operator’s reason for a rejection.' }),
    failure: z
      .string()
      .optional()
      .meta({ description: 'Code of the reason, for a failed, cancelled or returned transfer.' }),
    returnedAmount: money().optional().meta({ description: 'The amount that was credited back.' }),
    createdAt: instant(),
    updatedAt: instant(),
    sentAt: instant().optional(),
    completedAt: instant().optional(),
  };
}

export const shownFields = ({ payout, details: { quoteId, externalId } }: ShownPayout) => ({
  quoteId,
  externalId: externalId ?? undefined,
  ...shownOutgoing(payout),
});

/** @param noun noun in texts for the client */
export function shownOutgoing(payout: Outgoing, noun?: string) {
  const { status, terms, failure, reached, createdAt, updatedAt } = payout.transfer;
  const shown = (amount: Decimal) => formatAmount(amount, terms.currency);
  return {
    status: status as PayoutStatus,
    amount: shown(terms.amount),
    fee: shown(terms.fee),
    totalDebit: shown(totalDebit(terms)),
    description: descriptionOf(payout, noun),
    failure: failure ?? undefined,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    sentAt: reached['sent'],
    completedAt: reached['completed'],
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
    destination: destinationSchema.partial().meta({ description: 'Masked.' }),
    returnedAt: instant().optional(),
  })
  .meta({ id: 'Payout' });

export function payoutView(shown: ShownPayout): z.output<typeof payoutSchema> {
  const { id, accountId, terms, reached } = shown.payout.transfer;
  const returned = creditedBack(shown.payout);
  return {
    id,
    accountId: accountId ?? '',
    method: terms.method,
    ...shownPrice(terms),
    ...shownFields(shown),
    destination: shown.details.destinationMasked,
    returnedAmount: returned && formatAmount(returned, terms.currency),
    returnedAt: reached['returned'],
  };
}

export function shownPrice(price: Omit<PayoutTerms, 'method' | 'needsApproval'>) {
  const { currency, receivedCurrency } = price;
  return {
    amount: formatAmount(price.amount, currency),
    fee: formatAmount(price.fee, currency),
    totalDebit: formatAmount(totalDebit(price), currency),
    currency,
    receivedAmount: formatAmount(price.receivedAmount, receivedCurrency),
    receivedCurrency,
    rate: price.rate.toFixed(),
  };
}
