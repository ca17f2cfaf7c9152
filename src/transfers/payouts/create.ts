import type { Account } from '../../accounts/accounts/operations';
import { assertAccountOpen } from '../../accounts/accounts/operations';
import type { Tx } from '../../kernel/db/database';
import { alreadyExists } from '../../kernel/errors';
import type { OperationKey } from '../../kernel/idempotency';
import { newId } from '../../kernel/ids';
import { Decimal } from '../../kernel/money/money';
import { type Destination } from '../../parties/payouts/port';
import { requireActiveUser } from '../../people/users/operations';
import { lockQuote, takeQuote } from '../../process/quotes/operations';
import type { Services } from '../../services';
import { checkDestination, maskDestination } from './destinations/destination';
import { sealDestination } from './destinations/sealing';
import type { QuotedTerms } from './operations';
import { holdPayout } from './postings';
import type { Payout } from './record';
import { insertPayout } from './store';
import { startLifecycle } from './workflows';

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
): Promise<Payout> {
  const id = newId('payout');
  const { tenantId } = account;
  const { quoteId } = request;
  const quote = await lockQuote(tx, { tenantId, accountId: account.id, quoteId, kind: 'payout' });
  const terms = quote.terms as unknown as QuotedTerms;
  const destination = checkDestination(terms.method, request.destination, terms.receivedCurrency);
  await takeQuote(tx, quote, { usedBy: id, at: services.now() });
  await assertMayPay(tx, account);
  const payout = await insertPayout(tx, {
    id,
    tenantId,
    accountId: account.id,
    quoteId,
    externalId: request.externalId ?? null,
    method: terms.method,
    status: 'created',
    currency: account.currency,
    ...amountsOf(terms),
    sealedDestination: sealDestination(services.keyring, id, destination),
    destinationMasked: maskDestination(destination),
    ...key,
  });
  if (!payout) throw alreadyExists('Another payout has this externalId.', 'externalId');
  await services.commands.append(tx, [startLifecycle(payout)]);
  await holdPayout(tx, payout); // the account is locked last: it may be the busiest row of the tenant
  return payout;
}

function amountsOf(terms: QuotedTerms) {
  return {
    amount: new Decimal(terms.amount),
    fee: new Decimal(terms.fee),
    receivedAmount: new Decimal(terms.receivedAmount),
    receivedCurrency: terms.receivedCurrency,
    rate: new Decimal(terms.rate),
  };
}

/**
 * An open account, and a user who stays active to the end of the transaction.
 * @throws Problem 409 `account_closed`, `user_blocked`
 */
export async function assertMayPay(tx: Tx, account: Account): Promise<void> {
  assertAccountOpen(account);
  if (account.userId !== null) await requireActiveUser(tx, null, account.userId);
}
