import { z } from 'zod';
import { inOrder, type Sql, type Tx } from '../../../kernel/db/database';
import { newOrderId, type OperationKey } from '../../../kernel/idempotency';
import { readBalances } from '../../../kernel/ledger/accounts';
import { Decimal } from '../../../kernel/money/money';
import { withinField } from '../../../kernel/wire/schemas';
import type { Destination } from '../../../parties/payouts/port';
import { createQuote, lockQuote, takeQuote } from '../../../process/quotes/operations';
import type { Services } from '../../../services';
import { bothSettingsOf, settingsOf } from '../../../tenants/clients/operations';
import { needsApproval } from '../../approval/needs-approval';
import { approvalSettingsSection } from '../../approval/settings';
import { feeOf } from '../../fee-schedule';
import { makePayout } from '../../payouts/create';
import { checkDestination } from '../../payouts/destinations/destination';
import { restOf } from '../../payouts/destinations/resting';
import { openDestination, sealDestination } from '../../payouts/destinations/sealing';
import { payoutTerms, type ShownPayout, totalDebit } from '../../payouts/record';
import { bankingSettingsSection } from '../settings';
import type { VirtualIban } from '../virtual-ibans/capability';
import { ibanPayoutKind } from './kind';

const QUOTE_SECONDS = 300;

/** The IBAN's balance, and its monthly fee at present. */
export async function readAccount(sql: Sql, iban: VirtualIban) {
  const balance = (await readBalances(sql, [iban.id])).get(iban.id);
  if (!balance) throw new Error(`${iban.id} has no ledger account`);
  const settings = await settingsOf(sql, iban.tenantId, bankingSettingsSection);
  return { iban, balance, monthlyFee: new Decimal(settings.monthlyFee) };
}

/** Price of a SEPA payout in EUR: the destination receives the amount, and the fee comes on top. */
const priceOf = ({ amount, fee }: { amount: Decimal; fee: Decimal }) => ({
  method: 'sepa' as const,
  currency: 'EUR',
  amount,
  fee,
  receivedCurrency: 'EUR',
  receivedAmount: amount,
  rate: new Decimal(1),
});

export interface IbanQuote {
  quoteId: string;
  price: ReturnType<typeof priceOf>;
  expiresAt: Date;
}

/** A price as the quote stores it. The destination is sealed under the IBAN's id, in base64. */
const quotedTerms = payoutTerms.pick({ amount: true, fee: true }).extend({ destination: z.string() });

/**
 * Prices a payout by SEPA for five minutes. Creates only the quote.
 * @throws Problem 400 naming `amount` or a field of the destination, 409 `limit_exceeded`
 */
export async function quotePayout(
  services: Pick<Services, 'keyring' | 'now'>,
  tx: Tx,
  iban: VirtualIban,
  request: { amount: Decimal; destination: Destination },
): Promise<IbanQuote> {
  const { amount } = request;
  const destination = withinField(['destination'], () =>
    checkDestination('sepa', request.destination, 'EUR'),
  );
  const settings = await settingsOf(tx, iban.tenantId, bankingSettingsSection);
  const fee = feeOf(amount, 'EUR', settings.payout);
  const sealed = sealDestination(services.keyring, undefined, destination, iban.id);
  const quote = createQuote(tx, {
    tenantId: iban.tenantId,
    accountId: iban.id,
    kind: 'iban_payout',
    terms: { amount, fee, destination: sealed.toString('base64') },
    ttlSeconds: QUOTE_SECONDS,
    at: services.now(),
  });
  return { quoteId: quote.id, price: priceOf({ amount, fee }), expiresAt: quote.expiresAt };
}

/**
 * Makes a payout of a quote in the status `created`, holds amount and fee, and starts its workflow.
 * @throws Problem 404 `quoteId`, 400 `ErrAlreadyExists` on `externalId`, 409 `quote_used`, `quote_expired`,
 * `insufficient_funds`
 */
export async function createPayout(
  services: Services,
  tx: Tx,
  iban: VirtualIban,
  request: { quoteId: string; externalId?: string | undefined },
  key: OperationKey,
): Promise<ShownPayout> {
  const [id, at] = [newOrderId('ibanPayout', key, iban.id), services.now()];
  const { id: accountId, tenantId } = iban;
  const { quoteId, externalId = null } = request;
  const [quote, [{ payout }, daily]] = await inOrder([
    lockQuote(tx, { tenantId, accountId, quoteId, kind: 'iban_payout' }),
    bothSettingsOf(tx, tenantId, bankingSettingsSection, approvalSettingsSection),
  ]);
  takeQuote(tx, quote, { usedBy: id, at });
  const quoted = quotedTerms.parse(quote.terms);
  const sealed = Buffer.from(quoted.destination, 'base64');
  const destination = openDestination(services.keyring, undefined, sealed, accountId);
  const debit = totalDebit(quoted);
  const leaving = { id, tenantId, debit, currency: 'EUR', at };
  const waits = await needsApproval(services, tx, leaving, { above: payout.approvalAbove, daily });
  const { isRefused, rest } = await restOf(services, tx, destination, { tenantId, at, daily });
  return makePayout(services, tx, ibanPayoutKind, {
    id,
    tenantId,
    accountId,
    quoteId,
    externalId,
    owner: undefined,
    destination,
    partyRef: id,
    key,
    at,
    terms: { ...priceOf(quoted), needsApproval: waits || isRefused, rest },
  });
}
