import type { Sql, Tx } from '../../../kernel/db/database';
import { alreadyExists, notFound } from '../../../kernel/errors';
import type { OperationKey } from '../../../kernel/idempotency';
import { isId, newId } from '../../../kernel/ids';
import { readBalances } from '../../../kernel/ledger/accounts';
import { Decimal } from '../../../kernel/money/money';
import { type Destination } from '../../../parties/payouts/port';
import { createQuote, lockQuote, takeQuote } from '../../../process/quotes/operations';
import type { Services } from '../../../services';
import { settingsOf } from '../../../tenants/clients/operations';
import { checkDestination, maskDestination } from '../../payouts/destinations/destination';
import { holdPayout } from '../postings';
import { bankingSettingsSection } from '../settings';
import type { VirtualIban } from '../virtual-ibans/store';
import { startIbanPayout } from '../workflows';
import { feeOf, nextLook } from './rules';
import { sealedForPayout, sealedForQuote, unsealedFromQuote } from './sealing';
import { findPayout, type IbanPayout, insertPayout } from './store';

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
): Promise<IbanPayout> {
  const { keyring, now } = services;
  const { tenantId } = iban;
  const id = newId('ibanPayout');
  const at = now();
  const { quoteId } = request;
  const quote = await lockQuote(tx, { tenantId, accountId: iban.id, quoteId, kind: 'iban_payout' });
  await takeQuote(tx, quote, { usedBy: id, at });
  const terms = quote.terms as unknown as QuotedTerms;
  const destination = unsealedFromQuote(keyring, iban.id, terms.destination);
  const payout = await insertPayout(tx, {
    ...{ id, tenantId, virtualIbanId: iban.id, quoteId, externalId: request.externalId ?? null },
    amount: new Decimal(terms.amount),
    fee: new Decimal(terms.fee),
    sealedDestination: sealedForPayout(keyring, id, destination),
    destinationMasked: maskDestination(destination),
    ...key,
    dueBy: nextLook({ status: 'created', completedAt: null }, at) as Date,
  });
  if (!payout) throw alreadyExists('Another payout has this externalId.', 'externalId');
  await services.commands.append(tx, [startIbanPayout(payout)]);
  await holdPayout(tx, payout); // the account is locked last
  return payout;
}

/** @throws Problem 404 */
export async function requirePayout(sql: Sql, id: string, iban?: VirtualIban): Promise<IbanPayout> {
  const found = isId('ibanPayout', id) ? await findPayout(sql, id, iban?.id) : undefined;
  if (!found) throw notFound('payout');
  return found;
}
