import { assertFundable } from '../../accounts/accounts/internal-transfer';
import { requireAccount } from '../../accounts/accounts/operations';
import type { Tx } from '../../kernel/db/database';
import { invalid, notFound } from '../../kernel/errors';
import { newOrderId, type OperationKey } from '../../kernel/idempotency';
import { isId } from '../../kernel/ids';
import type { Decimal } from '../../kernel/money/money';
import type { Services } from '../../services';
import { bothSettingsOf } from '../../tenants/clients/operations';
import { needsApproval } from '../approval/needs-approval';
import { approvalSettingsSection } from '../approval/settings';
import { openTransfer } from '../engine/open';
import { requireTransfer } from '../engine/read';
import { feeOf } from '../fee-schedule';
import { ownerSealer } from '../owner-sealer';
import { CARD_KINDS } from './kind';
import type { ExternalCardKind } from './record';
import { redirectLinks } from './redirect';
import { externalCardSettingsSection } from './settings';
import { findDetails, insertDetails } from './store';
import type { ShownCardTransfer } from './view';

/** Body of `POST /v2/accounts/{id}/topup/card` and `…/withdraw/card`. */
export interface ExternalCardRequest {
  amount: Decimal;
  /** Token of the card; never its number. */
  paymentMethodToken: string;
  /** As parsed by `webUrl`. */
  returnUrl?: string | undefined;
}

/**
 * Accepts a top-up from a payment card, or a withdrawal to one, in the status `pending`. Holds the money of a
 * withdrawal and starts the workflow. A withdrawal above the tenant's thresholds waits for an operator first.
 * @throws Problem 404; 400 naming the field; 409 `limit_exceeded`, `account_closed`, `user_blocked`,
 * `insufficient_funds`
 */
export async function createCardTransfer(
  services: Services,
  tx: Tx,
  kind: ExternalCardKind,
  { accountId, ...request }: ExternalCardRequest & { accountId: string },
  { reach, ...key }: { reach: string | null } & OperationKey,
): Promise<ShownCardTransfer> {
  const account = await requireAccount(tx, reach, accountId);
  const { tenantId, currency } = account;
  const { amount, paymentMethodToken, returnUrl = null } = request;
  const sections = [externalCardSettingsSection, approvalSettingsSection] as const;
  const [settings, daily] = await bothSettingsOf(tx, tenantId, ...sections);
  const fee = feeOf(amount, currency, settings[kind]);
  if (kind === 'topup' && fee.gte(amount)) throw invalid('amount must be more than its fee.', 'amount');
  const owner = await assertFundable(tx, account, 'id');
  const [id, at] = [newOrderId('externalCardTransaction', key, account.id), services.now()];
  const actionExpiresAt = new Date(at.getTime() + settings.actionSeconds * 1000);
  const leaving = { id, tenantId, debit: amount.plus(fee), currency, at };
  const above = settings.withdrawal.approvalAbove;
  const waits = kind === 'withdrawal' && (await needsApproval(services, tx, leaving, { above, daily }));
  const status = waits ? 'pending_approval' : 'pending';
  const made = await openTransfer(services, tx, CARD_KINDS[kind], {
    id,
    tenantId,
    accountId: account.id,
    status,
    at,
    key,
    field: 'amount',
    referenceId: id,
    partyRef: id,
    terms: { amount, fee, currency, actionExpiresAt, needsApproval: waits },
  });
  const token = ownerSealer(services.keyring, owner, 'external-cards').seal(
    Buffer.from(paymentMethodToken),
    id,
  );
  const redirectHash = redirectLinks.hashFor(services, id);
  insertDetails(tx, { id, returnUrl, userId: account.userId, token, redirectHash });
  return { kind, transfer: made, returnUrl };
}

/** @throws Problem 404 for an unknown transaction, also of another account or of the other kind */
export async function requireCardTransfer(
  services: Pick<Services, 'database' | 'now'>,
  reach: string | null,
  kind: ExternalCardKind,
  { accountId, id }: { accountId: string; id: string },
): Promise<ShownCardTransfer> {
  if (!isId('externalCardTransaction', id)) throw notFound('transaction');
  const wanted = { id, accountId, reach, noun: 'transaction' };
  const transfer = await requireTransfer(services, CARD_KINDS[kind], wanted);
  const details = await findDetails(services.database, { id });
  return { kind, transfer, returnUrl: details?.returnUrl ?? null };
}
