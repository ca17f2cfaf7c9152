import { requireAccount } from '../../accounts/accounts/operations';
import { assertFundable } from '../../accounts/accounts/transfer';
import type { Call, Caller } from '../../kernel/caller';
import type { Sql, Tx } from '../../kernel/db/database';
import { notFound } from '../../kernel/errors';
import { operationKey } from '../../kernel/idempotency';
import { isId, newId } from '../../kernel/ids';
import type { Decimal } from '../../kernel/money/money';
import { assertFits } from '../../kernel/wire/schemas';
import { asciiUrl } from '../../kernel/wire/web-url';
import type { CardOrder } from '../../parties/external-cards/port';
import type { Services } from '../../services';
import { requireTenant, settingsOf } from '../../tenants/clients/operations';
import { holdWithdrawal } from './postings';
import type { ExternalCardTransaction } from './record';
import { hashToken, redirectHash } from './redirect';
import { type ExternalCardKind, feeOf, nextLook } from './rules';
import { externalCardSettingsSection } from './settings';
import { findByRedirect, findSealedToken, findTransaction, insertTransaction } from './store';
import { startTransfer } from './workflows';

/** Body of `POST /v2/accounts/{id}/topup/card` and `…/withdraw/card`. */
export interface ExternalCardRequest {
  amount: Decimal;
  /** What stands for the card; never its number. */
  paymentMethodToken: string;
  /** As `webUrl` has read it. */
  returnUrl?: string | undefined;
}

type Asked = Pick<Call, 'idempotencyKey'> & { caller: Pick<Caller, 'reach' | 'tenantId'> };

/** Where the party tells us that something has happened. */
export const CALLBACK_PATH = '/callbacks/external-cards';

/**
 * Accepts a top-up of the account from a payment card, or a withdrawal to one: it is `pending`, a withdrawal's money is
 * held, and its process begins.
 * @throws Problem 404; 400 naming the field; 409 `limit_exceeded`, `account_closed`, `user_blocked`, `insufficient_funds`
 */
export async function requestTransfer(
  services: Services,
  tx: Tx,
  kind: ExternalCardKind,
  accountId: string,
  request: ExternalCardRequest,
  asked: Asked,
): Promise<ExternalCardTransaction> {
  const { keyring } = services;
  const account = await requireAccount(tx, asked.caller.reach, accountId);
  const { tenantId, currency } = account;
  const { amount, paymentMethodToken, returnUrl = null } = request;
  assertFits(amount, currency);
  const settings = await settingsOf(tx, tenantId, externalCardSettingsSection);
  const fee = feeOf(kind, amount, currency, settings[kind]);
  await assertFundable(tx, account, 'id');
  const id = newId('externalCardTransaction');
  const now = services.now();
  const record = await insertTransaction(
    tx,
    {
      ...{ id, tenantId, accountId: account.id, kind, currency, amount, fee, returnUrl },
      ...operationKey(asked),
      token: keyring.sealer('external-cards').seal(Buffer.from(paymentMethodToken), id),
      redirectHash: redirectHash(services, id),
      actionExpiresAt: new Date(now.getTime() + settings.actionSeconds * 1000),
    },
    nextLook({ status: 'pending', completedAt: null }, now) as Date,
  );
  await services.commands.append(tx, [startTransfer(record)]);
  // The account is locked last: it may be the busiest row of the tenant.
  if (kind === 'withdrawal') await holdWithdrawal(tx, record);
  return record;
}

/** @throws Problem 404 for an account or a transaction that is not there, of another account or of the other kind */
export async function requireTransfer(
  sql: Sql,
  reach: string | null,
  kind: ExternalCardKind,
  accountId: string,
  txId: string,
): Promise<ExternalCardTransaction> {
  const account = await requireAccount(sql, reach, accountId);
  const known = isId('externalCardTransaction', txId);
  const found = known ? await findTransaction(sql, txId, { accountId: account.id, kind }) : undefined;
  if (!found) throw notFound('transaction');
  return found;
}

/** For its own process. */
export async function requireById(sql: Sql, id: string): Promise<ExternalCardTransaction> {
  const found = await findTransaction(sql, id);
  if (!found) throw notFound('transaction');
  return found;
}

/** What the party is asked to do: the same, whenever it is asked. */
export async function orderOf(services: Services, record: ExternalCardTransaction): Promise<CardOrder> {
  const { database, keyring } = services;
  const { id, amount, currency, returnUrl, actionExpiresAt } = record;
  const sealed = await findSealedToken(database, id);
  if (!sealed) throw new Error('the transaction has no token');
  return {
    key: id,
    token: keyring.sealer('external-cards').open(sealed, id).toString('utf8'),
    amount,
    currency,
    merchant: (await requireTenant(database, record.tenantId)).name,
    returnUrl: returnUrl && asciiUrl(returnUrl),
    expiresAt: actionExpiresAt,
    callbackUrl: services.publicUrl() + CALLBACK_PATH,
  };
}

/**
 * Where the payer who follows our address is sent: to the party's page while there is something to confirm, then to
 * where he came from.
 * @throws Problem 404 for a token that is none, and when there is nowhere to send him
 */
export async function payersWay(services: Services, token: string): Promise<string> {
  const record = await findByRedirect(services.database, hashToken(token));
  if (!record) throw notFound('page');
  const { id, actionUrl, actionExpiresAt, returnUrl } = record;
  if (actionUrl && actionExpiresAt > services.now())
    return services.keyring.sealer('external-cards').open(actionUrl, id).toString('utf8');
  if (returnUrl === null) throw notFound('page');
  return returnUrl;
}
