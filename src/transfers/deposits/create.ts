import { assertFundable } from '../../accounts/accounts/internal-transfer';
import { requireAccount } from '../../accounts/accounts/operations';
import type { IdPage } from '../../kernel/db/build';
import { inOrder, type Sql, type Tx } from '../../kernel/db/database';
import { notFound } from '../../kernel/errors';
import type { OperationKey } from '../../kernel/idempotency';
import { newId } from '../../kernel/ids';
import { lockQuote, takeQuote } from '../../process/quotes/operations';
import type { Services } from '../../services';
import { settingsOf } from '../../tenants/clients/operations';
import { openTransfer } from '../engine/open';
import { type ListFilter, listTransfers, requireTransfer } from '../engine/read';
import { depositKind } from './kind';
import type { ClientDeposit, Deposit } from './money';
import { checkoutLinks } from './page/token';
import { termsOf } from './quotes/quote';
import { depositSettingsSection } from './settings';
import { detailsOf, insertDetails } from './store';
import type { ShownDeposit } from './view';

export interface DepositRequest {
  accountId: string;
  quoteId: string;
  returnUrl: string;
  externalId?: string | undefined;
}

/**
 * Takes a quote and makes its deposit in the status `created`.
 * @throws Problem 404 account, quote; 409 `account_closed`, `user_blocked`, `quote_used`, `quote_expired`
 */
export async function createDeposit(
  services: Services,
  tx: Tx,
  { accountId, quoteId, returnUrl, externalId }: DepositRequest,
  { reach, ...key }: { reach: string | null } & OperationKey,
): Promise<ShownDeposit> {
  const account = await requireAccount(tx, reach, accountId);
  const { tenantId } = account;
  const [id, at] = [newId('deposit'), services.now()];
  const [quote, { expirySeconds }] = await inOrder([
    lockQuote(tx, { tenantId, accountId: account.id, quoteId, kind: 'deposit' }),
    settingsOf(tx, tenantId, depositSettingsSection),
    assertFundable(tx, account, 'accountId'),
  ]);
  takeQuote(tx, quote, { usedBy: id, at });
  const expiresAt = new Date(at.getTime() + expirySeconds * 1000);
  const made = await openTransfer(services, tx, depositKind, {
    id,
    tenantId,
    accountId: account.id,
    status: 'created',
    at,
    key,
    referenceId: newId('reference'),
    terms: { ...termsOf(quote), externalId: externalId ?? null, expiresAt },
  });
  insertDetails(tx, { id, quoteId, returnUrl, tokenHash: checkoutLinks.hashFor(services, id) });
  return { deposit: made as ClientDeposit, details: { id, quoteId, returnUrl, redirectSealed: null } };
}

/** @throws Problem 404, also for a deposit of another account */
export async function requireDeposit(
  services: Pick<Services, 'database' | 'now'>,
  reach: string | null,
  accountId: string,
  id: string,
): Promise<ShownDeposit> {
  const found = await requireTransfer(services, depositKind, { id, accountId, reach, noun: 'deposit' });
  return shownDeposit(services.database, found);
}

/** @throws Problem 404 for a payment without a deposit */
export async function shownDeposit(sql: Sql, deposit: Deposit): Promise<ShownDeposit> {
  const [shown] = await withDetails(sql, [deposit as ClientDeposit]);
  if (!shown) throw notFound('deposit');
  return shown;
}

/** Lists the deposits of an account, newest first. */
export async function listDeposits(
  services: Pick<Services, 'database' | 'now'>,
  { externalId, ...filter }: ListFilter & { externalId?: string | undefined },
  page: IdPage,
): Promise<ShownDeposit[]> {
  const found = await listTransfers(services, depositKind, filter, page, (query) => {
    if (externalId !== undefined) void query.whereRaw(`terms->>'externalId' = ?`, [externalId]);
  });
  return withDetails(services.database, found as ClientDeposit[]);
}

async function withDetails(sql: Sql, deposits: readonly ClientDeposit[]): Promise<ShownDeposit[]> {
  const ids = deposits.map(({ transfer }) => transfer.id);
  const details = await detailsOf(sql, ids);
  return deposits.flatMap((deposit) => {
    const own = details.get(deposit.transfer.id);
    return own ? [{ deposit, details: own }] : [];
  });
}
