import type { Sql, Tx } from '../../../kernel/db/database';
import { alreadyExists } from '../../../kernel/errors';
import type { OperationKey } from '../../../kernel/idempotency';
import { newId } from '../../../kernel/ids';
import { readBalances } from '../../../kernel/ledger/accounts';
import { Decimal } from '../../../kernel/money/money';
import { type Destination } from '../../../parties/payouts/port';
import { createQuote, lockQuote, takeQuote } from '../../../process/quotes/operations';
import type { Services } from '../../../services';
import { settingsOf } from '../../../tenants/clients/operations';
import { openTransfer } from '../../engine/open';
import { requireTransfer, waitingForOperator } from '../../engine/read';
import { checkDestination, maskDestination } from '../../payouts/destinations/destination';
import { type Payout, type PayoutTerms, type ShownPayout, totalDebit } from '../../payouts/record';
import { bankingSettingsSection } from '../settings';
import type { VirtualIban } from '../virtual-ibans/store';
import { ibanPayoutKind } from './kind';
import { feeOf } from './price';
import { sealedForPayout, sealedForQuote, unsealedFromQuote } from './sealing';
import { insertDetails, shown } from './store';

const QUOTE_SECONDS = 300;

/** What was available on it as last committed, and what the company pays for it a month. */
export async function readAccount(sql: Sql, iban: VirtualIban) {
  const balance = (await readBalances(sql, [iban.id])).get(iban.id);
  if (!balance) throw new Error(`${iban.id} has no ledger account`);
  const settings = await settingsOf(sql, iban.tenantId, bankingSettingsSection);
  return { iban, balance, monthlyFee: new Decimal(settings.monthlyFee) };
}

export interface IbanQuote {
  quoteId: string;
  amount: Decimal;
  fee: Decimal;
  destination: Destination;
  expiresAt: Date;
}

/** A price as the quote keeps it. */
interface QuotedTerms {
  amount: string;
  fee: string;
  /** Sealed under the IBAN's id, in base64. */
  destination: string;
}

/**
 * Prices a payout by SEPA; the price stands for five minutes and nothing else is made.
 * @throws Problem 400 naming `amount` or a field of the destination, 409 `limit_exceeded`
 */
export async function quotePayout(
  services: Pick<Services, 'keyring' | 'now'>,
  tx: Tx,
  iban: VirtualIban,
  request: { amount: Decimal; destination: Destination },
): Promise<IbanQuote> {
  const { amount } = request;
  const destination = checkDestination('sepa', request.destination, 'EUR');
  const settings = await settingsOf(tx, iban.tenantId, bankingSettingsSection);
  const fee = feeOf(amount, settings.payout);
  const terms: QuotedTerms = {
    amount: amount.toFixed(),
    fee: fee.toFixed(),
    destination: sealedForQuote(services.keyring, iban.id, destination),
  };
  const quote = await createQuote(tx, {
    ...{ tenantId: iban.tenantId, accountId: iban.id, kind: 'iban_payout' },
    ...{ terms: { ...terms }, ttlSeconds: QUOTE_SECONDS, at: services.now() },
  });
  return { quoteId: quote.id, amount, fee, destination, expiresAt: quote.expiresAt };
}

/**
 * Makes a payout of a quote: it is `created` with its amount and fee held, and its process begins.
 * @throws Problem 404 `quoteId`, 400 `ErrAlreadyExists` on `externalId`, 409 `quote_used`, `quote_expired`,
 *   `insufficient_funds`
 */
export async function createPayout(
  services: Services,
  tx: Tx,
  iban: VirtualIban,
  request: { quoteId: string; externalId?: string | undefined },
  key: OperationKey,
): Promise<ShownPayout> {
  const { keyring } = services;
  const [id, at] = [newId('ibanPayout'), services.now()];
  const { id: accountId, tenantId } = iban;
  const { quoteId, externalId = null } = request;
  const quote = await lockQuote(tx, { tenantId, accountId, quoteId, kind: 'iban_payout' });
  await takeQuote(tx, quote, { usedBy: id, at });
  const quoted = quote.terms as unknown as QuotedTerms;
  const destination = unsealedFromQuote(keyring, accountId, quoted.destination);
  const details = { id, quoteId, externalId, destinationMasked: maskDestination(destination) };
  const sealed = sealedForPayout(keyring, id, destination);
  if (!(await insertDetails(tx, { ...details, tenantId, destination: sealed })))
    throw alreadyExists('Another payout has this externalId.', 'externalId');
  const payout = await openTransfer(services, tx, ibanPayoutKind, {
    ...{ id, tenantId, accountId, status: 'created', referenceId: id, partyRef: id, key, at },
    terms: await termsOf(tx, tenantId, quoted),
    field: 'quoteId',
  });
  if (!payout) throw new Error(`the party knows the payout ${id} already`);
  return { payout, details };
}

/** Whether a person must decide is settled now, by the company's threshold. */
async function termsOf(tx: Tx, tenantId: string, quoted: QuotedTerms): Promise<PayoutTerms> {
  const [amount, fee] = [new Decimal(quoted.amount), new Decimal(quoted.fee)];
  const { approvalAbove } = (await settingsOf(tx, tenantId, bankingSettingsSection)).payout;
  return {
    ...{ method: 'sepa', currency: 'EUR', amount, fee },
    ...{ receivedCurrency: 'EUR', receivedAmount: amount, rate: new Decimal(1) },
    needsApproval: totalDebit({ amount, fee }).gt(approvalAbove),
  };
}

/** @throws Problem 404, also for another IBAN's */
export async function requirePayout(
  services: Pick<Services, 'database' | 'now'>,
  id: string,
  { id: accountId, tenantId: reach }: VirtualIban,
): Promise<ShownPayout> {
  const found = await requireTransfer(services, ibanPayoutKind, { id, accountId, reach, noun: 'payout' });
  return shownPayout(services.database, found);
}

export async function shownPayout(sql: Sql, payout: Payout): Promise<ShownPayout> {
  const [found] = await shown(sql, [payout]);
  return found as ShownPayout;
}

/** Those of every company that wait for the operator's approval, the longest first. */
export async function payoutsToApprove(
  services: Pick<Services, 'database' | 'now'>,
  limit: number,
): Promise<ShownPayout[]> {
  const found = await waitingForOperator(services, ibanPayoutKind, 'pending_approval', limit);
  return shown(services.database, found);
}
