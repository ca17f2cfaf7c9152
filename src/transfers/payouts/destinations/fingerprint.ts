import { createHmac } from 'node:crypto';
import type { Keyring } from '../../../kernel/security/keyring';
import type { Destination } from '../../../parties/payouts/port';

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

/** Hashes of the two lists differ, so that they tell nothing about each other. */
const hashOf = (keyring: Keyring, list: 'payouts' | 'withdrawals', identity: unknown): Buffer =>
  createHmac('sha256', keyring.secretFor('search'))
    .update(JSON.stringify([list, identity]))
    .digest();

/** Keyed hash of a bank account in a currency, on the allow-list of withdrawals. */
export const bankFingerprint = (keyring: Keyring, currency: string, account: Destination): Buffer =>
  hashOf(keyring, 'withdrawals', [currency, bankAccountOf(account)]);

/** Keyed hash of a payout's destination. Payouts of accounts and of virtual IBANs share it. */
export const destinationFingerprint = (keyring: Keyring, destination: Destination): Buffer =>
  hashOf(keyring, 'payouts', identityOf(destination));
