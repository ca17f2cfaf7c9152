import type { PostedEntry } from '../../kernel/ledger/entries';
import { amountOf } from '../../kernel/ledger/entries';
import { formatAmount } from '../../kernel/money/money';
import type { WebhookEvent } from '../../kernel/outbox/events';

/**
 * The `account_transaction` of a posted entry (`interface.md 2.3`). The amount is never negative; the type tells the
 * direction (3.4).
 */
export function accountTransactionEvent(
  account: { tenantId: string; currency: string },
  entry: PostedEntry,
  {
    idempotencyKey,
    linkedId,
  }: { idempotencyKey?: string | null | undefined; linkedId?: string | undefined } = {},
): WebhookEvent {
  const { type, subtype = '', reference, at } = entry;
  return {
    tenantId: account.tenantId,
    registration: 'account',
    event: 'account_transaction',
    data: {
      id: entry.id ?? '',
      accountId: entry.account,
      type,
      subtype,
      amount: formatAmount(amountOf(entry), account.currency),
      currency: account.currency,
      referenceId: reference,
      ...(linkedId === undefined ? {} : { linkedId }),
      timestamp: at.toISOString(),
    },
    at,
    reference: { id: reference, type, subtype },
    idempotencyKey,
  };
}
