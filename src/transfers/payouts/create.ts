import { assertFundable } from '../../accounts/accounts/internal-transfer';
import type { Account } from '../../accounts/accounts/operations';
import type { IdPage } from '../../kernel/db/build';
import { inOrder, type Sql, type Tx } from '../../kernel/db/database';
import { alreadyExists } from '../../kernel/errors';
import { newOrderId, type OperationKey } from '../../kernel/idempotency';
import { withinField } from '../../kernel/wire/schemas';
import type { Destination } from '../../parties/payouts/port';
import { lockQuote, takeQuote } from '../../process/quotes/operations';
import type { Services } from '../../services';
import { bothSettingsOf } from '../../tenants/clients/operations';
import { needsApproval } from '../approval/needs-approval';
import { approvalSettingsSection } from '../approval/settings';
import { type Opening, openTransfer } from '../engine/open';
import { type ListFilter, listTransfers, requireTransfer } from '../engine/read';
import { checkDestination, maskDestination } from './destinations/destination';
import { restOf } from './destinations/resting';
import { sealDestination } from './destinations/sealing';
import { orderKey, payoutKind } from './kind';
import type { PayoutKind } from './paid-by-party';
import { type Payout, type PayoutTerms, quotedTerms, type ShownPayout, totalDebit } from './record';
import { payoutSettingsSection } from './settings';
import { havingExternalId, insertDetails, type NewPayoutDetails, withDetails } from './store';

/** Body of `POST /v2/accounts/{accountId}/payouts`. */
export interface PayoutRequest {
  quoteId: string;
  destination: Destination;
  externalId?: string | undefined;
}

/**
 * Makes a payout of a quote in the status `created`, holds amount and fee, and starts its workflow. Checks in the
 * order of the list below.
 * @throws Problem 404 `quoteId`; 400 naming a field of the destination, or `externalId` (`ErrAlreadyExists`); 409
 * `quote_used`, `quote_expired`, `account_closed`, `user_blocked`, `insufficient_funds`
 */
export async function createPayout(
  services: Services,
  tx: Tx,
  account: Account,
  request: PayoutRequest,
  key: OperationKey,
): Promise<ShownPayout> {
  const [id, at] = [newOrderId('payout', key, account.id), services.now()];
  const { id: accountId, tenantId, currency } = account;
  const { quoteId, externalId = null } = request;
  const [quote, [{ approvalAbove }, daily]] = await inOrder([
    lockQuote(tx, { tenantId, accountId, quoteId, kind: 'payout' }),
    bothSettingsOf(tx, tenantId, payoutSettingsSection, approvalSettingsSection),
  ]);
  const quoted = quotedTerms.parse(quote.terms);
  const destination = withinField(['destination'], () =>
    checkDestination(quoted.method, request.destination, quoted.receivedCurrency),
  );
  takeQuote(tx, quote, { usedBy: id, at });
  await assertFundable(tx, account);
  const debit = totalDebit(quoted);
  const leaving = { id, tenantId, debit, currency, at };
  const waits = await needsApproval(services, tx, leaving, { above: approvalAbove, daily });
  const { isRefused, rest } = await restOf(services, tx, destination, { tenantId, at, daily });
  return makePayout(services, tx, payoutKind, {
    id,
    tenantId,
    accountId,
    quoteId,
    externalId,
    destination,
    partyRef: orderKey(id),
    key,
    at,
    terms: { ...quoted, currency, needsApproval: waits || isRefused, rest },
  });
}

/** A payout of either kind whose quote has been taken. Its terms say whether an operator must approve it. */
interface NewPayout
  extends Omit<Opening<PayoutTerms>, 'tenantId' | 'status' | 'referenceId' | 'field'>,
    Pick<NewPayoutDetails, 'tenantId' | 'quoteId' | 'externalId'> {
  destination: Destination;
}

/** @throws Problem 400 naming `externalId` (`ErrAlreadyExists`); 409 `insufficient_funds` */
export async function makePayout(
  services: Services,
  tx: Tx,
  kind: PayoutKind,
  { quoteId, externalId, destination, ...given }: NewPayout,
): Promise<ShownPayout> {
  const { id, tenantId } = given;
  const details = { id, quoteId, externalId, destinationMasked: maskDestination(destination) };
  const sealed = sealDestination(services.keyring, kind.sealedFor, destination, id);
  const opening = { ...given, status: 'created', referenceId: id, field: 'quoteId' };
  const [, payout] = await inOrder([
    keepDetails(tx, kind, { ...details, tenantId, destination: sealed }),
    openTransfer(services, tx, kind, opening),
  ]);
  if (!payout) throw new Error(`the party knows the payout ${id} already`);
  return { payout, details };
}

async function keepDetails(tx: Tx, { table }: PayoutKind, details: NewPayoutDetails): Promise<void> {
  if (!(await insertDetails(tx, table, details)))
    throw alreadyExists('Another payout has this externalId.', 'externalId');
}

/** @throws Problem 404, also for a payout of another account */
export async function requirePayout(
  services: Pick<Services, 'database' | 'now'>,
  kind: PayoutKind,
  wanted: { id: string; accountId: string; reach: string | null },
): Promise<ShownPayout> {
  const found = await requireTransfer(services, kind, { ...wanted, noun: 'payout' });
  return shownPayout(services.database, kind, found);
}

/** Lists the payouts of an account, newest first. */
export async function listPayouts(
  services: Pick<Services, 'database' | 'now'>,
  { externalId, ...filter }: ListFilter & { externalId?: string | undefined },
  page: IdPage,
): Promise<ShownPayout[]> {
  const found = await listTransfers(services, payoutKind, filter, page, (query) => {
    if (externalId !== undefined) havingExternalId(query, externalId);
  });
  return withDetails(services.database, payoutKind.table, found);
}

export async function shownPayout(sql: Sql, { table }: PayoutKind, payout: Payout): Promise<ShownPayout> {
  const [found] = await withDetails(sql, table, [payout]);
  return found as ShownPayout;
}
