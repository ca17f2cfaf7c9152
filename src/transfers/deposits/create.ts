import { requireAccount } from '../../accounts/accounts/operations';
import { assertFundable } from '../../accounts/accounts/transfer';
import type { Sql, Tx } from '../../kernel/db/database';
import { notFound } from '../../kernel/errors';
import type { OperationKey } from '../../kernel/idempotency';
import { newId } from '../../kernel/ids';
import { lockQuote, takeQuote } from '../../process/quotes/operations';
import type { Services } from '../../services';
import { settingsOf } from '../../tenants/clients/operations';
import { checkoutToken, hashToken } from './page/token';
import { termsOf } from './quotes/quote';
import { type Deposit } from './record';
import { requireTransition } from './rules';
import { depositSettingsSection } from './settings';
import { findDeposit, insertDeposit } from './store';
import { startDeposit } from './workflows';

export interface DepositRequest {
  accountId: string;
  quoteId: string;
  returnUrl: string;
  externalId?: string | undefined;
}

/**
 * Takes a quote and makes its deposit: `created`, until the party has made the payer's page.
 * @throws Problem 404 account, quote; 409 `account_closed`, `user_blocked`, `quote_used`, `quote_expired`
 */
export async function createDeposit(
  services: Services,
  tx: Tx,
  { accountId, quoteId, returnUrl, externalId }: DepositRequest,
  { reach, ...key }: { reach: string | null } & OperationKey,
): Promise<Deposit> {
  const account = await requireAccount(tx, reach, accountId);
  const { tenantId } = account;
  const [id, at] = [newId('deposit'), services.now()];
  const quote = await lockQuote(tx, { tenantId, accountId: account.id, quoteId, kind: 'deposit' });
  await assertFundable(tx, account, 'accountId');
  await takeQuote(tx, quote, { usedBy: id, at });
  const terms = termsOf(quote);
  const { expirySeconds } = await settingsOf(tx, tenantId, depositSettingsSection);
  const deposit = await insertDeposit(tx, {
    ...terms,
    id,
    tenantId,
    accountId: account.id,
    externalId: externalId ?? null,
    quoteId,
    status: requireTransition(null, 'created'),
    amount: terms.chargedAmount,
    referenceId: newId('reference'),
    returnUrl,
    tokenHash: hashToken(checkoutToken(services, id)),
    expiresAt: new Date(at.getTime() + expirySeconds * 1000),
    ...key,
    createdAt: at,
  });
  await services.commands.append(tx, [startDeposit(deposit)]);
  return deposit;
}

/** @throws Problem 404, also for another account's */
export async function requireDeposit(
  sql: Sql,
  reach: string | null,
  accountId: string,
  id: string,
): Promise<Deposit> {
  const deposit = await findDeposit(sql, reach, id);
  if (deposit?.accountId !== accountId) throw notFound('deposit');
  return deposit;
}
