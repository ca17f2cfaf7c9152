import type { Party } from './parties';

/** Capabilities that a tenant can be given, named as in `GET /v1/client/settings`. */
export const CAPABILITIES = [
  'transfer',
  'card_issuing',
  'deposit',
  'payout',
  'card_topup',
  'card_withdrawal',
  'virtual_iban',
  'exchange',
  'crypto',
] as const;

export type Capability = (typeof CAPABILITIES)[number];

/**
 * Capabilities that depend on a party and are off when the party is off. A person can replace the cardholder reviewer.
 */
export const CARRIED_BY: Readonly<Record<Party, readonly Capability[]>> = {
  cardProcessor: ['card_issuing'],
  cardholderReview: [],
  checkout: ['deposit'],
  payouts: ['payout'],
  externalCards: ['card_topup', 'card_withdrawal'],
  bank: ['virtual_iban'],
  // The capability `exchange` depends on one of these parties, and each endpoint names which. An exchange between
  // accounts needs only rates. Orders and withdrawals need only the exchange.
  exchange: [],
  rates: [],
};

/** The parties that a capability depends on. */
export const partiesOf = (capability: Capability): Party[] =>
  (Object.keys(CARRIED_BY) as Party[]).filter((party) => CARRIED_BY[party].includes(capability));
