import { assertFundable } from '../../../accounts/accounts/internal-transfer';
import { requireAccount } from '../../../accounts/accounts/operations';
import type { IdPage } from '../../../kernel/db/build';
import type { Tx } from '../../../kernel/db/database';
import { invalid } from '../../../kernel/errors';
import { newOrderId, type OperationKey } from '../../../kernel/idempotency';
import { Decimal } from '../../../kernel/money/money';
import { assertFits } from '../../../kernel/wire/schemas';
import type { Services } from '../../../services';
import { settingsOf } from '../../../tenants/clients/operations';
import { openTransfer } from '../../engine/open';
import { type ListFilter, listTransfers, requireTransfer } from '../../engine/read';
import { percentFee } from '../../fee-schedule';
import { exchangePartySection } from '../settings';
import { orderedOf } from './deal';
import { exchangeKey, exchangeOrderKind } from './kind';
import type { ExchangeOrder, ExchangeOrderTerms } from './record';

/** Body of `POST /v1/exchange/orders`. */
export interface ExchangeOrderRequest {
  fromAccountId: string;
  toAccountId: string;
  /** The whole debit, in the currency of the paying account. */
  amount: Decimal;
  /** In the currency of the receiving account. */
  minReceive?: Decimal | undefined;
}

/**
 * Accepts an exchange order in the status `created`, holds its whole amount, and starts its workflow.
 * @throws Problem 404 naming the account; 400 naming `toAccountId`, `amount` or `minReceive`; 409 `account_closed`,
 * `user_blocked`, `insufficient_funds`
 */
export async function createExchangeOrder(
  services: Services,
  tx: Tx,
  request: ExchangeOrderRequest,
  { reach, ...key }: { reach: string | null } & OperationKey,
): Promise<ExchangeOrder> {
  const { amount, minReceive = null } = request;
  const from = await requireAccount(tx, reach, request.fromAccountId, 'fromAccountId');
  // Requires the same tenant for an admin too, because money must not cross from one tenant to another.
  const to = await requireAccount(tx, from.tenantId, request.toAccountId, 'toAccountId');
  if (from.currency === to.currency)
    throw invalid(`toAccountId must be an account in another currency than ${from.currency}.`, 'toAccountId');
  assertFits(amount, from.currency);
  if (minReceive) assertFits(minReceive, to.currency, 'minReceive');
  const { order: its } = await settingsOf(tx, from.tenantId, exchangePartySection);
  const terms: ExchangeOrderTerms = {
    currency: from.currency,
    toAccountId: to.id,
    toCurrency: to.currency,
    amount,
    minReceive,
    fee: percentFee(amount, new Decimal(its.feePercent), from.currency),
  };
  if (!orderedOf(terms).gt(0)) throw invalid('amount must be more than its fee.', 'amount');
  await assertFundable(tx, from, 'fromAccountId');
  await assertFundable(tx, to, 'toAccountId');
  const id = newOrderId('exchangeOrder', key, from.id);
  return openTransfer(services, tx, exchangeOrderKind, {
    id,
    tenantId: from.tenantId,
    accountId: from.id,
    status: 'created',
    terms,
    key,
    field: 'amount',
    referenceId: id,
    partyRef: exchangeKey(id),
    at: services.now(),
  });
}

/** @throws Problem 404, also for an order of another tenant */
export const requireExchangeOrder = (
  services: Pick<Services, 'database' | 'now'>,
  reach: string | null,
  id: string,
): Promise<ExchangeOrder> =>
  requireTransfer(services, exchangeOrderKind, { id, reach, noun: 'exchange order' });

/** Lists orders, newest first. */
export const listExchangeOrders = (
  services: Pick<Services, 'database' | 'now'>,
  filter: ListFilter,
  page: IdPage,
): Promise<ExchangeOrder[]> => listTransfers(services, exchangeOrderKind, filter, page);
