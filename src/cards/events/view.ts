import { formatAmount } from '../../kernel/money/money';
import type { WebhookEvent } from '../../kernel/outbox/events';
import type { CardTransaction } from './record';

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
export function cardTransactionData(transaction: CardTransaction) {
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
export function showCardTransaction(transaction: CardTransaction) {
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
