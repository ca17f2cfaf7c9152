import type { Party } from './parties';

/** What a tenant may be given to do, in the words of `GET /v1/client/settings`. */
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

/** What goes with a party: where it is off, these are. The reviewer's work can be a person's. */
export const CARRIED_BY: Readonly<Record<Party, readonly Capability[]>> = {
  cardProcessor: ['card_issuing'],
  cardholderReview: [],
  checkout: ['deposit'],
  payouts: ['payout'],
  externalCards: ['card_topup', 'card_withdrawal'],
  bank: ['virtual_iban'],
  // Of the capability `exchange` each endpoint needs one of these and names it: between accounts only rates are needed, of
  // orders and withdrawals only the exchange.
  exchange: [],
  rates: [],
};

/** The parties without which a capability is off. */
export const partiesOf = (capability: Capability): Party[] =>
  (Object.keys(CARRIED_BY) as Party[]).filter((party) => CARRIED_BY[party].includes(capability));
