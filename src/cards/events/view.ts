import { z } from 'zod';
import { effectSchema } from '../../kernel/ledger/effect-schema';
import { CARD_EFFECTS } from '../../kernel/ledger/effects';
import { formatAmount, formatAmounts, ZERO } from '../../kernel/money/money';
import type { EventDocument } from '../../kernel/outbox/event-document';
import type { WebhookEvent } from '../../kernel/outbox/events';
import { instant, money } from '../../kernel/wire/schemas';
import { shown } from '../../kernel/wire/shown';
import {
  type Authorization,
  type CardTransaction,
  type Counters,
  DECLINE_REASONS,
  EVENT_SOURCES,
  remaining,
} from './record';

const balances = z
  .object({ available: money(), pending: money(), spent: money() })
  .meta({ id: 'CardBalances' });

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
      "The amount in the card's currency, to which the balance effects of the type apply.",
    ),
    billingCurrency: z.string(),
    referenceId: z
      .string()
      .describe('The reference, shared with the account transactions of the same posting.'),
    linkedId: z.string().optional().describe('The event that this event follows.'),
    declineReason: z.string().optional().meta({ enum: DECLINE_REASONS }),
    forced: z.boolean().optional().describe('True for an event that happened whatever the balance was.'),
    source: z
      .string()
      .optional()
      .meta({ enum: EVENT_SOURCES, description: 'The cause of the event, where its type does not tell it.' }),
    merchant: merchant.optional(),
    fee: money(),
    balanceAfter: balances.describe(
      "The card's balances. In a history: directly after this event. In the response that records the event: after everything " +
        'that the event caused, such as the release by a final settlement.',
    ),
    timestamp: instant(),
    createdAt: instant(),
    updatedAt: instant(),
  })
  .meta({ id: 'CardTransaction' });

export const cardTransactionDocument: EventDocument = {
  event: 'card_transaction',
  type: 'card',
  description:
    "A card was issued, funded, used, settled, refunded, declined, frozen or closed. The sum of `effect` over all of a card's " +
    'events is its balance.',
  data: cardTransactionSchema
    .omit({ fee: true, createdAt: true, updatedAt: true })
    .extend({ effect: effectSchema })
    .meta({ id: 'CardTransactionEvent', description: 'Data of a `card_transaction`.' }),
};

const counters = z
  .object({
    authorized: money(),
    settled: money(),
    reversed: money(),
    refunded: money(),
    remaining: money().describe('The amount that is still held.'),
  })
  .meta({ id: 'AuthorizationCounters' });

const authorizationSchema = z
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
  .meta({ id: 'Authorization' });

export const cardTransactionDetailSchema = cardTransactionSchema
  .extend({
    authorization: authorizationSchema.optional(),
    chain: z
      .array(cardTransactionSchema)
      .optional()
      .describe('All events of the authorization, oldest first.'),
  })
  .meta({ id: 'CardTransactionDetail' });

/** The `card_transaction` webhook of a recorded event (`interface.md 2.3`). */
export function cardTransactionEvent(
  transaction: CardTransaction,
  idempotencyKey: string | null | undefined,
): WebhookEvent {
  const { type, referenceId } = transaction;
  return {
    tenantId: transaction.tenantId,
    registration: 'card',
    event: 'card_transaction',
    data: cardTransactionEventData(transaction),
    at: transaction.at,
    reference: { id: referenceId, type },
    idempotencyKey,
  };
}

/** The webhook's fields: those of the contract first, then where the money went. */
function cardTransactionEventData(transaction: CardTransaction) {
  const data = cardTransactionData(transaction);
  const effect = CARD_EFFECTS[transaction.type];
  const signed = (factor: -1 | 0 | 1) => signedAmount(data.billingAmount, factor, data.billingCurrency);
  return Object.assign(data, {
    effect: {
      available: signed(effect.available),
      pending: signed(effect.pending),
      spent: signed(effect.spent),
    },
    balanceAfter: cardBalances(transaction),
  });
}

/** A formatted amount with the sign of its effect. */
function signedAmount(amount: string, factor: -1 | 0 | 1, currency: string): string {
  if (factor === 0) return formatAmount(ZERO, currency);
  return factor === 1 || /^[0.]*$/.test(amount) ? amount : `-${amount}`;
}

function cardBalances({ available, pending, spent, billingCurrency }: CardTransaction) {
  return {
    available: formatAmount(available, billingCurrency),
    pending: formatAmount(pending, billingCurrency),
    spent: formatAmount(spent, billingCurrency),
  };
}

/** The fields of a card transaction on the wire. Empty fields are left out. */
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

/** A card transaction of the API: the webhook's fields, its fee and the card's balances after it. */
export function cardTransactionView(transaction: CardTransaction) {
  const { billingCurrency } = transaction;
  const created = transaction.at.toISOString();
  return {
    ...cardTransactionData(transaction),
    fee: formatAmount(transaction.fee, billingCurrency),
    balanceAfter: cardBalances(transaction),
    createdAt: created,
    updatedAt: created,
  };
}

/** An authorization on the wire, with its counters. */
export const authorizationView = (authorization: Authorization) =>
  shown(authorizationSchema, authorization, {
    rate: authorization.rate.toFixed(),
    ...countersView(authorization.own, authorization.currency),
    billing: countersView(authorization.billing, authorization.billingCurrency),
  });

const countersView = (counted: Counters, currency: string) =>
  shown(counters, formatAmounts({ ...counted, remaining: remaining(counted) }, currency));
