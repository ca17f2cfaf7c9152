import { effectSchema } from '../../kernel/ledger/effect-schema';
import type { PostedEntry } from '../../kernel/ledger/entries';
import { amountOf } from '../../kernel/ledger/entries';
import { formatAmount } from '../../kernel/money/money';
import type { EventDocument } from '../../kernel/outbox/event-document';
import type { WebhookEvent } from '../../kernel/outbox/events';
import { accountTransactionSchema } from './view';

export const accountTransactionDocument: EventDocument = {
  event: 'account_transaction',
  type: 'account',
  description:
    'Money moved on an account of the tenant or of one of its users: deposits, withdrawals, fees, transfers, funding of cards. ' +
    'Holds are not told.',
  data: accountTransactionSchema
    .omit({ createdAt: true, updatedAt: true })
    .extend({ effect: effectSchema })
    .meta({ id: 'AccountTransactionEvent', description: 'Data of an `account_transaction`.' }),
};

/**
 * The `account_transaction` of a posted entry (`interface.md 2.3`). The amount is never negative; the type tells the
 * direction (3.4), and `effect` states it. `balanceAfter` is the available balance, as in the account's history.
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
  const { currency } = account;
  return {
    tenantId: account.tenantId,
    registration: 'account',
    event: 'account_transaction',
    data: {
      id: entry.id ?? '',
      accountId: entry.account,
      type,
      subtype,
      amount: formatAmount(amountOf(entry), currency),
      currency,
      referenceId: reference,
      ...(linkedId === undefined ? {} : { linkedId }),
      timestamp: at.toISOString(),
      effect: {
        available: formatAmount(entry.available, currency),
        pending: formatAmount(entry.pending, currency),
        spent: formatAmount(entry.spent, currency),
      },
      balanceAfter: entry.balance && formatAmount(entry.balance.available, currency),
    },
    at,
    reference: { id: reference, type, subtype },
    idempotencyKey,
  };
}
