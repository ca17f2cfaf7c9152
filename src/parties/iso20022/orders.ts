import { createHash } from 'node:crypto';
import type { Tx } from '../../kernel/db/database';
import { isBic, isIban } from '../../kernel/iban';
import { type Decimal, fitsCurrency } from '../../kernel/money/money';
import { PartyAway, PartyRefused } from '../../process/party-errors';
import { groupOf, type SealedPayee } from './groups';
import { type CreditTransfer, writeCreditTransfers } from './messages/credit-transfers';
import type { AccountHolder } from './messages/parties';
import { plainText } from './messages/words';
import { endToEndIdOf } from './names';
import { type BankFilesServices, SEALED_UNDER } from './services';
import { type BankOrder, findOrder, insertOrder } from './store/orders';

/** An order for the bank, as the ports give it. */
export interface GivenOrder {
  key: string;
  purpose: BankOrder['purpose'];
  /** Of a return: the received payment. */
  creditId?: string;
  service: BankOrder['service'];
  amount: Decimal;
  currency: string;
  payee: AccountHolder;
  /** For the payee's statement. */
  text?: string;
}

/** Longest name that SEPA takes. */
const MAX_NAME = 70;
const ACCOUNT = /^[A-Za-z0-9/\-?:().,'+ ]{1,34}$/;
const COUNTRY = /^[A-Z]{2}$/;

/**
 * Takes an order once under its key. It leaves with the next file.
 * @param admit refuses a new order, in the transaction that stores it
 * @throws PartyRefused where no message can express the order, or the key was used for another
 */
export async function takeOrder(
  services: BankFilesServices,
  given: GivenOrder,
  admit: (tx: Tx) => Promise<void> = async () => undefined,
): Promise<BankOrder> {
  const { database, keyring } = services;
  const { key, purpose, creditId = null, service, amount, currency } = given;
  const fingerprint = fingerprintOf(given);
  const known = await findOrder(database, key);
  if (known) return sameOrder(services, known, fingerprint);
  const { payee, text } = expressible(services, given);
  const endToEndId = endToEndIdOf(key);
  await assertValid(services, { endToEndId, amount, currency, payee, text }, service);
  const sealed: SealedPayee = { payee, text };
  const sealer = keyring.sealer(SEALED_UNDER);
  const made = await database.transaction(async (tx) => {
    await admit(tx);
    return insertOrder(tx, {
      key,
      purpose,
      creditId,
      endToEndId,
      service,
      amount,
      currency,
      payee: sealer.seal(Buffer.from(JSON.stringify(sealed)), key),
      fingerprint: sealer.seal(fingerprint, boundTo(key)),
    });
  });
  const order = made ?? (await findOrder(database, key));
  if (!order) throw new PartyAway('the order was not stored');
  return sameOrder(services, order, fingerprint);
}

/** The context of a sealed fingerprint. A plain hash would let a reader guess the payee. */
const boundTo = (key: string): string => `fingerprint ${key}`;

function sameOrder({ keyring }: BankFilesServices, known: BankOrder, fingerprint: Buffer): BankOrder {
  const kept = keyring.sealer(SEALED_UNDER).open(known.fingerprint, boundTo(known.key));
  if (!kept.equals(fingerprint)) throw new PartyRefused('idempotency_mismatch');
  return known;
}

const fingerprintOf = ({ amount, payee, ...given }: GivenOrder): Buffer => {
  const fields = { ...given, amount: amount.toFixed(), payee: Object.entries(payee).sort() };
  return createHash('sha256')
    .update(JSON.stringify(Object.entries(fields).sort(([one], [other]) => (one < other ? -1 : 1))))
    .digest();
};

/** The payee as a message spells it. @throws PartyRefused */
function expressible(
  { settings }: BankFilesServices,
  { service, amount, currency, payee: given, text }: GivenOrder,
): SealedPayee {
  const refuse = (code: string): never => {
    throw new PartyRefused(code);
  };
  const isServed = settings.accounts.some((account) => account.currency === currency);
  if (!isServed || (service === 'sepa' && currency !== 'EUR')) refuse('currency_not_supported');
  if (!amount.gt(0) || !fitsCurrency(amount, currency)) refuse('malformed_order');
  const { iban, accountNumber, bic, country } = given;
  const name = plainText(given.name ?? '', MAX_NAME);
  if (name === '') refuse('name_missing');
  if (iban !== undefined && !isIban(iban)) refuse('account_invalid');
  if (iban === undefined && (service === 'sepa' || !ACCOUNT.test(accountNumber ?? '')))
    refuse('account_invalid');
  if (bic !== undefined && !isBic(bic)) refuse('bank_invalid');
  if (service === 'swift' && bic === undefined && iban === undefined) refuse('bank_missing');
  const payee = {
    name,
    iban,
    accountNumber: iban === undefined ? accountNumber : undefined,
    bic,
    country: country !== undefined && COUNTRY.test(country) ? country : undefined,
  };
  return { payee, text: text === undefined ? undefined : plainText(text, 140) };
}

/** Validates the order alone, so that no order can spoil the file of the others. @throws PartyRefused */
async function assertValid(
  { reader, settings, now }: BankFilesServices,
  transfer: CreditTransfer,
  service: BankOrder['service'],
): Promise<void> {
  const group = groupOf(settings, { id: 'CHECK', service, transfers: [transfer], at: now() });
  const xml = writeCreditTransfers({
    messageId: 'CHECK',
    createdAt: now(),
    initiator: settings.company,
    groups: [group],
  });
  const result = await reader.read(Buffer.from(xml));
  if (!('fault' in result)) return;
  if (result.fault === 'schema') throw new PartyRefused('malformed_order');
  throw new PartyAway('the order could not be validated');
}
