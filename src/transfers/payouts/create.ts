import { assertFundable } from '../../accounts/accounts/internal-transfer';
import type { Account } from '../../accounts/accounts/operations';
import type { IdPage } from '../../kernel/db/build';
import { inOrder, type Sql, type Tx } from '../../kernel/db/database';
import { alreadyExists } from '../../kernel/errors';
import { newOrderId, type OperationKey, outcomeOf } from '../../kernel/idempotency';
import { withinField } from '../../kernel/wire/schemas';
import type { Destination } from '../../parties/payouts/port';
import { findUsers } from '../../people/users/operations';
import { lockQuote, takeQuote } from '../../process/quotes/operations';
import type { Services } from '../../services';
import { bothSettingsOf } from '../../tenants/clients/operations';
import { needsApproval } from '../approval/needs-approval';
import { approvalSettingsSection } from '../approval/settings';
import { type Opening, openTransfer } from '../engine/open';
import { type ListFilter, listTransfers, requireTransfer } from '../engine/read';
import type { Owner } from '../owner-sealer';
import { checkDestination, maskDestination } from './destinations/destination';
import { restOf } from './destinations/resting';
import { openDestination, sealDestination } from './destinations/sealing';
import { orderKey, payoutKind } from './kind';
import type { PayoutKind } from './paid-by-party';
import { type Payout, type PayoutTerms, quotedTerms, type ShownPayout, totalDebit } from './record';
import { payoutSettingsSection } from './settings';
import { findDetails, havingExternalId, insertDetails, type NewPayoutDetails } from './store';

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
  const [quote, [{ approvalAbove }, daily], fundable] = await inOrder([
    lockQuote(tx, { tenantId, accountId, quoteId, kind: 'payout' }),
    bothSettingsOf(tx, tenantId, payoutSettingsSection, approvalSettingsSection),
    outcomeOf(() => assertFundable(tx, account)),
  ]);
  const quoted = quotedTerms.parse(quote.terms);
  const destination = withinField(['destination'], () =>
    checkDestination(quoted.method, request.destination, quoted.receivedCurrency),
  );
  takeQuote(tx, quote, { usedBy: id, at });
  const owner = fundable();
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
    owner,
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
  owner: Owner;
  destination: Destination;
}

/** @throws Problem 400 naming `externalId` (`ErrAlreadyExists`); 409 `insufficient_funds` */
export async function makePayout(
  services: Services,
  tx: Tx,
  kind: PayoutKind,
  { quoteId, externalId, owner, destination, ...given }: NewPayout,
): Promise<ShownPayout> {
  const { id, tenantId } = given;
  const sealed = sealDestination(services.keyring, owner, destination, id);
  const details = { id, quoteId, externalId, userId: owner?.id ?? null, destination: sealed };
  const opening = { ...given, status: 'created', referenceId: id, field: 'quoteId' };
  const [, payout] = await inOrder([
    keepDetails(tx, kind, { ...details, tenantId }),
    openTransfer(services, tx, kind, opening),
  ]);
  return { payout, details, destination: maskDestination(destination) };
}

async function keepDetails(tx: Tx, { table }: PayoutKind, details: NewPayoutDetails): Promise<void> {
  if (!(await insertDetails(tx, table, details)))
    throw alreadyExists('Another payout has this externalId.', 'externalId');
}

/** @throws Problem 404, also for a payout of another account */
export async function requirePayout(
  services: Pick<Services, 'database' | 'keyring' | 'now'>,
  kind: PayoutKind,
  wanted: { id: string; accountId: string; reach: string | null },
): Promise<ShownPayout> {
  const found = await requireTransfer(services, kind, { ...wanted, noun: 'payout' });
  return shownPayout(services, kind, found);
}

/** Lists the payouts of an account, newest first. */
export async function listPayouts(
  services: Pick<Services, 'database' | 'keyring' | 'now'>,
  { externalId, ...filter }: ListFilter & { externalId?: string | undefined },
  page: IdPage,
): Promise<ShownPayout[]> {
  const found = await listTransfers(services, payoutKind, filter, page, (query) => {
    if (externalId !== undefined) havingExternalId(query, externalId);
  });
  return shownPayouts(services, payoutKind, found);
}

/** Opens the destinations of payouts. */
type Openers = Pick<Services, 'keyring'> & { database: Sql };

export async function shownPayout(services: Openers, kind: PayoutKind, payout: Payout): Promise<ShownPayout> {
  const [found] = await shownPayouts(services, kind, [payout]);
  return found as ShownPayout;
}

/** Payouts with the fields beside their transfers, in the order given. */
async function shownPayouts(
  { database, keyring }: Openers,
  { table }: PayoutKind,
  found: readonly Payout[],
): Promise<ShownPayout[]> {
  const ids = found.map(({ transfer }) => transfer.id);
  const details = await findDetails(database, table, ids);
  const userIds = new Set([...details.values()].flatMap(({ userId }) => userId ?? []));
  const users = await findUsers(database, [...userIds]);
  const owners = new Map(users.map((user) => [user.id, user]));
  return found.map((payout) => {
    const { id } = payout.transfer;
    const own = details.get(id);
    if (!own) throw new Error(`the payout ${id} has no details`);
    const owner = own.userId === null ? undefined : owners.get(own.userId);
    const isErased = owner?.dataKey === null;
    const destination = isErased ? {} : maskDestination(openDestination(keyring, owner, own.destination, id));
    return { payout, details: own, destination };
  });
}
