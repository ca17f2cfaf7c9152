/**
 * The outside parties that are reached over HTTP, as `Services.parties` has them, each with its name in words: of the path
 * where the sandbox serves it, of the operator's command line, and of its variables (`PARTY_EXTERNAL_CARDS_URL`).
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

/** The party of that name; nothing for a name that is none's. */
export const partyNamed = (name: string): Party | undefined =>
  PARTIES.find((party) => PARTY_NAMES[party] === name);

/** `PARTY_EXTERNAL_CARDS`: with `_URL` and `_SECRET` where it is, alone with `off` that it is left out. */
export const partyVariable = (party: Party): string =>
  `PARTY_${PARTY_NAMES[party].toUpperCase().replaceAll('-', '_')}`;
