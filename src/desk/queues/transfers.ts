import { formatAmounts } from '../../kernel/money/money';
import { TO_APPROVE } from '../../transfers/approval/decide';
import { countDepositsToReview, depositsToReview } from '../../transfers/deposits/create';
import { netOf } from '../../transfers/deposits/money';
import { underDecision } from '../../transfers/deposits/rules';
import { depositView, type ShownDeposit } from '../../transfers/deposits/view';
import { countWaitingForOperator, waitingForOperator } from '../../transfers/engine/read';
import { countWithdrawalsToApprove, withdrawalsToApprove } from '../../transfers/exchange/withdrawals/create';
import { exchangeWithdrawalView } from '../../transfers/exchange/withdrawals/view';
import { cardWithdrawalKind } from '../../transfers/external-cards/kind';
import type { CardTransfer } from '../../transfers/external-cards/order-rules';
import { ibanPayoutKind } from '../../transfers/iban/payouts/kind';
import { ibanPayoutView } from '../../transfers/iban/view';
import { countPayoutsToApprove, payoutsToApprove } from '../../transfers/payouts/create';
import { payoutKind } from '../../transfers/payouts/kind';
import type { PayoutKind } from '../../transfers/payouts/paid-by-party';
import { type ShownPayout, totalDebit } from '../../transfers/payouts/record';
import { payoutView } from '../../transfers/payouts/view';
import { countSuspense, listSuspense } from '../../transfers/suspense';
import { suspenseView } from '../../transfers/suspense-view';
import { type Cell, type Queue, queueOf, shownMoney } from '../queue';

export const deposits: Queue = queueOf({
  name: 'deposits',
  description: 'deposits in manual_review: credit or return the payment',
  commands: ['deposit approve ID', 'deposit reject ID --reason TEXT'],
  kind: 'the code that says why',
  byCurrency: true,
  columns: ['id', 'client', 'why', 'asked for', 'paid', 'settled', 'decision'],
  load: depositsToReview,
  count: (sql) => countDepositsToReview(sql),
  place: ({ deposit: { transfer } }) => placeOf(transfer),
  cells: depositCells,
  record: depositView,
});

function depositCells({ deposit }: ShownDeposit): Cell[] {
  const { id, tenantId, failure, terms, word } = deposit.transfer;
  const paid = netOf(deposit).map(({ amount, currency }) => shownMoney(amount, currency));
  const settled = word?.payments.every(({ status }) => status !== 'pending');
  return [
    ...[id, tenantId, failure, shownMoney(terms.chargedAmount, terms.currency)],
    ...[paid.join(', ') || null, settled ? 'yes' : 'no', underDecision(deposit) ?? null],
  ];
}

const placeOf = ({ id, tenantId, updatedAt }: { id: string; tenantId: string | null; updatedAt: Date }) => ({
  id,
  tenantId,
  since: updatedAt,
});

export const payouts = payoutQueue({
  name: 'payouts',
  noun: 'payout',
  description: "payouts in pending_approval, above their tenant's threshold: approve or reject",
  kind: payoutKind,
  record: payoutView,
});

export const ibanPayouts = payoutQueue({
  name: 'iban-payouts',
  noun: 'iban-payout',
  description: "payouts from virtual IBANs above their tenant's threshold: approve or reject",
  kind: ibanPayoutKind,
  record: ibanPayoutView,
});

function payoutQueue(spec: {
  name: string;
  noun: string;
  description: string;
  kind: PayoutKind;
  record(payout: ShownPayout): unknown;
}): Queue {
  const { name, noun, description, kind, record } = spec;
  return queueOf({
    name,
    description,
    record,
    kind: 'the method',
    byCurrency: true,
    commands: [`show ID --reveal --reason TEXT`, `${noun} approve ID`, `${noun} reject ID --reason TEXT`],
    columns: ['id', 'client', 'account', 'method', 'total'],
    load: (deps, filter) => payoutsToApprove(deps, kind, filter),
    count: (sql) => countPayoutsToApprove(sql, kind),
    place: ({ payout: { transfer } }) => placeOf(transfer),
    cells: ({ payout: { transfer } }) => [
      ...[transfer.id, transfer.tenantId, transfer.accountId, transfer.terms.method],
      shownMoney(totalDebit(transfer.terms), transfer.terms.currency),
    ],
  });
}

export const withdrawals: Queue = queueOf({
  name: 'withdrawals',
  description: "withdrawals to cards above their tenant's threshold: approve or reject",
  commands: ['withdrawal approve ID', 'withdrawal reject ID --reason TEXT'],
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
  commands: ['show ID --reveal --reason TEXT', 'withdrawal approve ID', 'withdrawal reject ID --reason TEXT'],
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

export const suspense: Queue = queueOf({
  name: 'suspense',
  description: 'money of transfers without an owner yet, or that we can claim',
  commands: ['suspense return|credit|write-off|recover TRANSFER --reason TEXT'],
  kind: 'the kind of transfer',
  byCurrency: true,
  columns: ['transfer', 'kind', 'client', 'account', 'status', 'amount'],
  load: ({ database }, filter) => listSuspense(database, filter),
  count: (sql) => countSuspense(sql),
  place: ({ transferId, currency, tenantId, since }) => ({
    id: `${transferId}:${currency}`,
    tenantId,
    since,
  }),
  cells: ({ transferId, kind, tenantId, accountId, status, amount, currency }) => [
    ...[transferId, kind, tenantId, accountId, status, shownMoney(amount, currency)],
  ],
  record: suspenseView,
});
