import { assertFundable } from '../../../accounts/accounts/internal-transfer';
import { requireAccount } from '../../../accounts/accounts/operations';
import type { IdPage } from '../../../kernel/db/build';
import { inOrder, type Sql, type Tx } from '../../../kernel/db/database';
import { invalid } from '../../../kernel/errors';
import { newOrderId, type OperationKey } from '../../../kernel/idempotency';
import type { Decimal } from '../../../kernel/money/money';
import { assertFits } from '../../../kernel/wire/schemas';
import type { Services } from '../../../services';
import { bothSettingsOf } from '../../../tenants/clients/operations';
import { needsApproval } from '../../approval/needs-approval';
import { approvalSettingsSection } from '../../approval/settings';
import { openTransfer } from '../../engine/open';
import { type ListFilter, listTransfers, requireTransfer } from '../../engine/read';
import { assertUsable, findDestinations, requireDestination } from '../destinations/operations';
import type { WithdrawalDestination } from '../destinations/record';
import { exchangePartySection, withdrawalFee } from '../settings';
import { type ExchangeWithdrawal, exchangeWithdrawalKind, withdrawalKey } from './kind';

/** Body of `POST /v1/exchange/withdrawals`. */
export interface WithdrawalRequest {
  accountId: string;
  destinationId: string;
  amount: Decimal;
}

/** A withdrawal with its destination. */
export interface ShownWithdrawal {
  withdrawal: ExchangeWithdrawal;
  destination: WithdrawalDestination;
}

/**
 * Makes a withdrawal in the status `created`, holds amount and fee, and starts its workflow. Checks in the order of
 * the list below.
 * @throws Problem 404 naming `accountId` or `destinationId`; 400 naming `amount`, or `destinationId` in another
 * currency; 409 `invalid_transition` for a destination that is disabled or not active yet; `account_closed`;
 * `user_blocked`; `insufficient_funds`
 */
export async function createWithdrawal(
  services: Services,
  tx: Tx,
  { accountId, destinationId, amount }: WithdrawalRequest,
  { reach, ...key }: { reach: string | null } & OperationKey,
): Promise<ShownWithdrawal> {
  const account = await requireAccount(tx, reach, accountId, 'accountId');
  const { tenantId, currency } = account;
  const [destination, [{ withdrawal }, daily]] = await inOrder([
    requireDestination(tx, tenantId, destinationId, { field: 'destinationId', lock: 'share' }),
    bothSettingsOf(tx, tenantId, exchangePartySection, approvalSettingsSection),
  ]);
  assertFits(amount, currency);
  if (destination.currency !== currency)
    throw invalid(`destinationId must name a destination in ${currency}.`, 'destinationId');
  const [id, at] = [newOrderId('exchangeWithdrawal', key, account.id), services.now()];
  assertUsable(destination, at, 'destinationId');
  await assertFundable(tx, account, 'accountId');
  const fee = withdrawalFee(amount, currency, withdrawal);
  const debit = amount.plus(fee);
  const leaving = { id, tenantId, debit, currency, at };
  const waits = await needsApproval(services, tx, leaving, { above: withdrawal.approvalAbove, daily });
  const made = await openTransfer(services, tx, exchangeWithdrawalKind, {
    id,
    tenantId,
    accountId: account.id,
    status: 'created',
    referenceId: id,
    partyRef: withdrawalKey(id),
    key,
    at,
    field: 'amount',
    terms: {
      currency,
      amount,
      fee,
      receivedCurrency: currency,
      receivedAmount: amount,
      needsApproval: waits,
      destinationId: destination.id,
    },
  });
  return { withdrawal: made, destination };
}

/** @throws Problem 404, also for a withdrawal of another tenant */
export async function requireWithdrawal(
  services: Pick<Services, 'database' | 'now'>,
  reach: string | null,
  id: string,
): Promise<ShownWithdrawal> {
  const found = await requireTransfer(services, exchangeWithdrawalKind, { id, reach, noun: 'withdrawal' });
  return shownWithdrawal(services.database, found);
}

export async function shownWithdrawal(sql: Sql, withdrawal: ExchangeWithdrawal): Promise<ShownWithdrawal> {
  const [shown] = await withDestinations(sql, [withdrawal]);
  return shown as ShownWithdrawal;
}

async function withDestinations(sql: Sql, found: readonly ExchangeWithdrawal[]): Promise<ShownWithdrawal[]> {
  const destinationOf = ({ transfer }: ExchangeWithdrawal) => transfer.terms.destinationId;
  const rows = await findDestinations(sql, [...new Set(found.map(destinationOf))]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return found.map((withdrawal) => {
    const destination = byId.get(destinationOf(withdrawal));
    if (!destination) throw new Error(`the withdrawal ${withdrawal.transfer.id} has no destination`);
    return { withdrawal, destination };
  });
}

/** Lists withdrawals, newest first. */
export async function listWithdrawals(
  services: Pick<Services, 'database' | 'now'>,
  filter: ListFilter,
  page: IdPage,
): Promise<ShownWithdrawal[]> {
  const found = await listTransfers(services, exchangeWithdrawalKind, filter, page);
  return withDestinations(services.database, found);
}
