import { z } from 'zod';
import { CARD_EFFECTS } from '../../kernel/ledger/effects';
import { instant, money } from '../../kernel/wire/schemas';

const balances = z.object({ available: money(), pending: money(), spent: money() });

const merchant = z
  .object({ name: z.string(), mcc: z.string(), city: z.string(), country: z.string() })
  .partial()
  .meta({ id: 'Merchant' });

export const cardTransactionSchema = z
  .object({
    id: z.string(),
    cardId: z.string(),
    type: z.enum(Object.keys(CARD_EFFECTS) as (keyof typeof CARD_EFFECTS)[]),
    transactionAmount: money(),
    transactionCurrency: z.string(),
    billingAmount: money().describe(
      "In the card's currency: the balance effects of the type apply to this amount.",
    ),
    billingCurrency: z.string(),
    referenceId: z.string().describe('Shared with the account transactions that it causes.'),
    linkedId: z.string().optional().describe('The event that this one follows.'),
    declineReason: z.string().optional(),
    forced: z.boolean().optional().describe('It happened whatever the balance was.'),
    source: z.string().optional(),
    merchant: merchant.optional(),
    fee: money(),
    balanceAfter: balances,
    timestamp: instant(),
    createdAt: instant(),
    updatedAt: instant(),
  })
  .meta({ id: 'CardTransaction' });

const counters = z.object({
  authorized: money(),
  settled: money(),
  reversed: money(),
  refunded: money(),
  remaining: money().describe('Still held.'),
});

export const cardTransactionDetailSchema = cardTransactionSchema
  .extend({
    authorization: z
      .object({
        id: z.string(),
        referenceId: z.string(),
        currency: z.string(),
        billingCurrency: z.string(),
        rate: z.string(),
        expiresAt: instant(),
        ...counters.shape,
        billing: counters,
      })
      .optional(),
    chain: z
      .array(cardTransactionSchema)
      .optional()
      .describe('Every event of the authorization, oldest first.'),
  })
  .meta({ id: 'CardTransactionDetail' });
