import type { Account } from '../../accounts/accounts/operations';
import type { Sql, Tx } from '../../kernel/db/database';
import { alreadyExists } from '../../kernel/errors';
import type { OperationKey } from '../../kernel/idempotency';
import { newId } from '../../kernel/ids';
import { Decimal } from '../../kernel/money/money';
import type { Destination, PayoutMethod } from '../../parties/payouts/port';
import { lockQuote, takeQuote } from '../../process/quotes/operations';
import type { Services } from '../../services';
import { settingsOf } from '../../tenants/clients/operations';
import { openTransfer } from '../engine/open';
import {
  type ListFilter,
  type ListPage,
  listTransfers,
  requireTransfer,
  waitingForOperator,
} from '../engine/read';
import { checkDestination, maskDestination } from './destinations/destination';
import { sealDestination } from './destinations/sealing';
import { orderKey, payoutKind } from './kind';
import { assertMayPay, type QuotedTerms } from './operations';
import { needsApproval } from './price';
import { type Payout, type PayoutTerms, type ShownPayout, totalDebit } from './record';
import { payoutSettingsSection } from './settings';
import { havingExternalId, insertDetails, shown } from './store';

/** Body of `POST /v2/accounts/{accountId}/payouts`. */
export interface PayoutRequest {
  quoteId: string;
  destination: Destination;
  externalId?: string | undefined;
}

/**
 * Makes a payout of a quote: it is `created` with its amount and fee held, and its lifecycle begins.
 * @throws Problem 404 `quoteId`; 400 naming a field of the destination, or `externalId` (`ErrAlreadyExists`); 409
 *   `quote_used`, `quote_expired`, `account_closed`, `user_blocked`, `insufficient_funds`, in this order
 */
export async function createPayout(
  services: Services,
  tx: Tx,
  account: Account,
  request: PayoutRequest,
  key: OperationKey,
): Promise<ShownPayout> {
  const [id, at] = [newId('payout'), services.now()];
  const { id: accountId, tenantId } = account;
  const { quoteId, externalId = null } = request;
  const quote = await lockQuote(tx, { tenantId, accountId, quoteId, kind: 'payout' });
  const quoted = quote.terms as unknown as QuotedTerms;
  const destination = checkDestination(quoted.method, request.destination, quoted.receivedCurrency);
  await takeQuote(tx, quote, { usedBy: id, at });
  await assertMayPay(tx, account);
  const details = { id, quoteId, externalId, destinationMasked: maskDestination(destination) };
  const sealed = sealDestination(services.keyring, id, destination);
  if (!(await insertDetails(tx, { ...details, tenantId, destination: sealed })))
    throw alreadyExists('Another payout has this externalId.', 'externalId');
  const payout = await openTransfer(services, tx, payoutKind, {
    ...{ id, tenantId, accountId, status: 'created', referenceId: id, partyRef: orderKey(id), key, at },
    terms: await termsOf(tx, account, quoted),
    field: 'quoteId',
  });
  if (!payout) throw new Error(`the party knows the payout ${id} already`);
  return { payout, details };
}

/** Whether a person must decide is settled now, by the tenant's threshold. */
async function termsOf(tx: Tx, { tenantId, currency }: Account, quoted: QuotedTerms): Promise<PayoutTerms> {
  const { method, receivedCurrency } = quoted;
  const amounts = {
    amount: new Decimal(quoted.amount),
    fee: new Decimal(quoted.fee),
    receivedAmount: new Decimal(quoted.receivedAmount),
    rate: new Decimal(quoted.rate),
  };
  const { approvalAbove } = await settingsOf(tx, tenantId, payoutSettingsSection);
  const waits = needsApproval(totalDebit(amounts), currency, approvalAbove);
  return { method, currency, receivedCurrency, ...amounts, needsApproval: waits };
}

/** @throws Problem 404, also for another account's */
export async function requirePayout(
  services: Pick<Services, 'database' | 'now'>,
  reach: string | null,
  accountId: string,
  id: string,
): Promise<ShownPayout> {
  const found = await requireTransfer(services, payoutKind, { id, accountId, reach, noun: 'payout' });
  return shownPayout(services.database, found);
}

export interface PayoutFilter extends ListFilter {
  method?: PayoutMethod | undefined;
  externalId?: string | undefined;
}

/** Those of an account, newest first. */
export async function listPayouts(
  services: Pick<Services, 'database' | 'now'>,
  { method, externalId, ...filter }: PayoutFilter,
  page: ListPage,
): Promise<ShownPayout[]> {
  const found = await listTransfers(services, payoutKind, filter, page, (query) => {
    if (method !== undefined) void query.whereRaw(`terms->>'method' = ?`, [method]);
    if (externalId !== undefined) havingExternalId(query, externalId);
  });
  return shown(services.database, found);
}

/** Those of every tenant that wait for the operator's approval, the longest first. */
export async function payoutsToApprove(
  services: Pick<Services, 'database' | 'now'>,
  limit: number,
): Promise<ShownPayout[]> {
  const found = await waitingForOperator(services, payoutKind, 'pending_approval', limit);
  return shown(services.database, found);
}

export async function shownPayout(sql: Sql, payout: Payout): Promise<ShownPayout> {
  const [found] = await shown(sql, [payout]);
  return found as ShownPayout;
}
