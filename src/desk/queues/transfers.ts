import { formatAmounts } from '../../kernel/money/money';
import { TO_APPROVE } from '../../transfers/approval/decide';
import { countWaitingForOperator, waitingForOperator } from '../../transfers/engine/read';
import { countWithdrawalsToApprove, withdrawalsToApprove } from '../../transfers/exchange/withdrawals/create';
import { exchangeWithdrawalView } from '../../transfers/exchange/withdrawals/view';
import { cardWithdrawalKind } from '../../transfers/external-cards/kind';
import type { CardTransfer } from '../../transfers/external-cards/order-rules';
import { totalDebit } from '../../transfers/payouts/record';
import { type Queue, queueOf, shownMoney } from '../queue';

const placeOf = ({ id, tenantId, updatedAt }: { id: string; tenantId: string | null; updatedAt: Date }) => ({
  id,
  tenantId,
  since: updatedAt,
});

export const withdrawals: Queue = queueOf({
  name: 'withdrawals',
  description: "withdrawals to cards above their tenant's threshold: approve or reject",
  columns: ['id', 'client', 'account', 'total'],
  byCurrency: true,
  load: (deps, filter) => waitingForOperator(deps, cardWithdrawalKind, TO_APPROVE, filter),
  count: (sql) => countWaitingForOperator(sql, cardWithdrawalKind, TO_APPROVE),
  place: ({ transfer }) => placeOf(transfer),
  cells: ({ transfer: { id, tenantId, accountId, terms } }) => [
    ...[id, tenantId, accountId, shownMoney(terms.amount.plus(terms.fee), terms.currency)],
  ],
  record: withdrawalView,
});

export const exchangeWithdrawals: Queue = queueOf({
  name: 'exchange-withdrawals',
  description: "withdrawals from the exchange above their tenant's threshold: approve or reject",
  columns: ['id', 'client', 'account', 'destination', 'total'],
  byCurrency: true,
  load: withdrawalsToApprove,
  count: (sql) => countWithdrawalsToApprove(sql),
  place: ({ withdrawal: { transfer } }) => placeOf(transfer),
  cells: ({ withdrawal: { transfer } }) => [
    ...[transfer.id, transfer.tenantId, transfer.accountId, transfer.terms.destinationId],
    shownMoney(totalDebit(transfer.terms), transfer.terms.currency),
  ],
  record: exchangeWithdrawalView,
});

/** The withdrawal as operators see it, with statuses that clients are not shown. */
export function withdrawalView({ transfer }: CardTransfer) {
  const { id, tenantId, accountId, status, terms, failure, updatedAt } = transfer;
  const { amount, fee, currency } = terms;
  const amounts = formatAmounts({ amount, fee }, currency);
  return { id, tenantId, accountId, status, ...amounts, currency, failure, since: updatedAt.toISOString() };
}
