import { createHmac } from 'node:crypto';
import type { Keyring } from '../../../kernel/security/keyring';
import type { Destination } from '../../../parties/payouts/port';
import type { SealedFor } from './sealing';

/** The parts that identify a bank account. A BIC that ends in XXX equals the head office's (ISO 9362). */
const bankAccountOf = ({ iban, accountNumber, bic }: Destination): unknown =>
  iban ?? [accountNumber, bic?.replace(/^(.{8})XXX$/, '$1')];

/** The parts that identify a destination of a payout. The spelling of an address does not matter. */
const identityOf = (destination: Destination): unknown => {
  const { cardToken, chain, address } = destination;
  if (cardToken !== undefined) return ['card', cardToken];
  if (address !== undefined) return [chain, address.toLowerCase()];
  return bankAccountOf(destination);
};

const hashOf = (keyring: Keyring, purpose: SealedFor, identity: unknown): Buffer =>
  createHmac('sha256', keyring.secretFor('search'))
    .update(JSON.stringify([purpose, identity]))
    .digest();

/** Keyed hash of a bank account in a currency. */
export const bankFingerprint = (
  keyring: Keyring,
  purpose: SealedFor,
  currency: string,
  account: Destination,
): Buffer => hashOf(keyring, purpose, [currency, bankAccountOf(account)]);

/** Keyed hash of a payout's destination. Payouts of accounts and of virtual IBANs share it. */
export const destinationFingerprint = (keyring: Keyring, destination: Destination): Buffer =>
  hashOf(keyring, 'payout-destinations', identityOf(destination));
