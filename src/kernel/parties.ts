/**
 * Parties that are reached over HTTP, named as in `Services.parties`, with their names in words. The words appear in
 * paths of the sandbox, in the command line and in variables (`PARTY_EXTERNAL_CARDS_URL`).
 */
export const PARTY_NAMES = {
  cardProcessor: 'card-processor',
  cardholderReview: 'cardholder-review',
  checkout: 'checkout',
  payouts: 'payouts',
  externalCards: 'external-cards',
  bank: 'bank',
  exchange: 'exchange',
  rates: 'rates',
} as const;

export type Party = keyof typeof PARTY_NAMES;
export type PartyName = (typeof PARTY_NAMES)[Party];

export const PARTIES = Object.keys(PARTY_NAMES) as Party[];

/** The party with that name, else undefined. */
export const partyNamed = (name: string): Party | undefined =>
  PARTIES.find((party) => PARTY_NAMES[party] === name);

/**
 * Prefix of a party's variables (`PARTY_EXTERNAL_CARDS`): `_URL` and `_SECRET` follow. The bare name with `off` leaves
 * the party out.
 */
export const partyVariable = (party: Party): string =>
  `PARTY_${PARTY_NAMES[party].toUpperCase().replaceAll('-', '_')}`;
