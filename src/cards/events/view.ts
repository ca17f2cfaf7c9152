import { z } from 'zod';
import { CARD_EFFECTS } from '../../kernel/ledger/effects';
import { type Decimal, formatAmount } from '../../kernel/money/money';
import type { WebhookEvent } from '../../kernel/outbox/events';
import { instant, money } from '../../kernel/wire/schemas';
import { type Authorization, type CardTransaction, type Counters, remaining } from './record';

const balances = z.object({ available: money(), pending: money(), spent: money() });

const merchant = z
  .object({ id: z.string(), name: z.string(), mcc: z.string(), city: z.string(), country: z.string() })
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
    balanceAfter: balances.describe(
      "The card's balances: in a history right after this event, in the answer that records it after all that it causes, such as " +
        'the release of a final settlement.',
    ),
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

/** The `card_transaction` of a recorded event (`interface.md 2.3`). */
export function cardTransactionEvent(
  transaction: CardTransaction,
  idempotencyKey: string | null | undefined,
): WebhookEvent {
  const { type, referenceId } = transaction;
  return {
    tenantId: transaction.tenantId,
    registration: 'card',
    event: 'card_transaction',
    data: cardTransactionData(transaction),
    at: transaction.at,
    reference: { id: referenceId, type },
    idempotencyKey,
  };
}

/** The fields of a card transaction on the wire. Those that say nothing are left out. */
function cardTransactionData(transaction: CardTransaction) {
  const { currency, billingCurrency } = transaction;
  return {
    id: transaction.id,
    cardId: transaction.cardId,
    transactionAmount: formatAmount(transaction.amount, currency),
    transactionCurrency: currency,
    billingAmount: formatAmount(transaction.billingAmount, billingCurrency),
    billingCurrency,
    type: transaction.type,
    referenceId: transaction.referenceId,
    linkedId: transaction.linkedId ?? undefined,
    declineReason: transaction.declineReason ?? undefined,
    forced: transaction.forced || undefined,
    source: transaction.source ?? undefined,
    merchant: transaction.merchant ?? undefined,
    timestamp: transaction.at.toISOString(),
  };
}

/** A card transaction as the API shows it: the event's fields, its fee, and the card's balances after it. */
export function cardTransactionView(transaction: CardTransaction) {
  const { billingCurrency } = transaction;
  const created = transaction.at.toISOString();
  return {
    ...cardTransactionData(transaction),
    fee: formatAmount(transaction.fee, billingCurrency),
    balanceAfter: {
      available: formatAmount(transaction.available, billingCurrency),
      pending: formatAmount(transaction.pending, billingCurrency),
      spent: formatAmount(transaction.spent, billingCurrency),
    },
    createdAt: created,
    updatedAt: created,
  };
}

/** An authorization with what became of it. */
export function authorizationView(authorization: Authorization) {
  return {
    id: authorization.id,
    referenceId: authorization.referenceId,
    currency: authorization.currency,
    billingCurrency: authorization.billingCurrency,
    rate: authorization.rate.toFixed(),
    expiresAt: authorization.expiresAt.toISOString(),
    ...countersView(authorization.own, authorization.currency),
    billing: countersView(authorization.billing, authorization.billingCurrency),
  };
}

function countersView(counters: Counters, currency: string) {
  const show = (amount: Decimal) => formatAmount(amount, currency);
  return {
    authorized: show(counters.authorized),
    settled: show(counters.settled),
    reversed: show(counters.reversed),
    refunded: show(counters.refunded),
    remaining: show(remaining(counters)),
  };
}
