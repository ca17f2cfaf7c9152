import { formatAmount } from '../../kernel/money/money';
import type { WebhookEvent } from '../../kernel/outbox/events';
import type { Deposit } from './record';

/** `account.deposit.<status>` (`interface.md 2.3, 3.2`). */
export function depositEvent(deposit: Deposit): WebhookEvent {
  const { id, tenantId, status, method, accountId, currency, accountCurrency, idempotencyKey } = deposit;
  const inPayers = (amount: Deposit['amount']) => formatAmount(amount, currency);
  const credited = (amount: Deposit['amount']) => formatAmount(amount, accountCurrency);
  return {
    tenantId,
    registration: 'deposit',
    event: `account.deposit.${status}`,
    data: {
      id,
      status,
      method,
      accountId,
      amount: inPayers(deposit.amount),
      currency,
      chargedAmount: inPayers(deposit.chargedAmount),
      creditedAmount: credited(deposit.creditedAmount),
      serviceFee: credited(deposit.serviceFee),
      ...(deposit.refundedAmount.gt(0) ? { refundedAmount: inPayers(deposit.refundedAmount) } : {}),
      ...(deposit.externalId === null ? {} : { externalId: deposit.externalId }),
      createdAt: deposit.createdAt.toISOString(),
      ...(deposit.completedAt ? { completedAt: deposit.completedAt.toISOString() } : {}),
    },
    at: deposit.updatedAt,
    idempotencyKey,
  };
}
