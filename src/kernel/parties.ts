import type { Capability } from './capabilities';

/** Facts that the kernel needs. The adapter and the sandbox are in `src/parties/<party>/definition.ts`. */
interface PartyFacts {
  /** Name in paths of the sandbox, on the command line and in variables (`PARTY_EXTERNAL_CARDS_URL`). */
  name: string;
  /** Name in lines for operators. */
  words: string;
  /** Capabilities that depend on the party and are off when the party is off. */
  carries?: readonly Capability[];
  /** The subject of its callbacks and of its list of changes. Absent: it has neither, and no queue. */
  reports?: 'transfers' | 'orders';
  /**
   * Internal account of a party that holds our money or pays for us, one per currency (`checkout:USD`). Each party has
   * its own, so that its debt is visible and its payments can be booked. `CHAIN_ACCOUNTS` lists the accounts of chains.
   */
  account?: string;
  /** Other settings that reach the party, for a message. */
  instead?: string;
  /** Effect of leaving it out, for a message. Absent: its endpoints are off. */
  without?: string;
  /** Stripe can be the party: `PARTY_<NAME>=stripe`. */
  byStripe?: true;
}

/** Parties that are reached over HTTP, named as in `Services.parties`. */
const FACTS = {
  cardProcessor: {
    name: 'card-processor',
    words: 'the card processor',
    carries: ['card_issuing'],
    reports: 'orders',
    account: 'card_network',
    instead: 'PARTY_CARD_PROCESSOR=stripe',
    byStripe: true,
  },
  // A person can replace the cardholder reviewer.
  cardholderReview: {
    name: 'cardholder-review',
    words: 'the cardholder review',
    reports: 'orders',
    instead: 'PARTY_CARDHOLDER_REVIEW=stripe',
    byStripe: true,
  },
  checkout: {
    name: 'checkout',
    words: 'the checkout',
    carries: ['deposit'],
    reports: 'transfers',
    account: 'checkout',
    instead: 'STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET',
  },
  payouts: {
    name: 'payouts',
    words: 'the payouts party',
    carries: ['payout'],
    reports: 'transfers',
    account: 'payouts',
    instead: 'BANK_FILES_FOLDER',
  },
  externalCards: {
    name: 'external-cards',
    words: 'the card acquirer',
    carries: ['card_topup', 'card_withdrawal'],
    reports: 'transfers',
    account: 'external_cards',
  },
  bank: {
    name: 'bank',
    words: 'the bank',
    carries: ['virtual_iban'],
    reports: 'transfers',
    account: 'bank',
    instead: 'BANK_FILES_FOLDER',
  },
  // The capability `exchange` depends on one of these two parties, and each endpoint names which. An exchange between
  // accounts needs only rates. Orders and withdrawals need only the exchange.
  exchange: { name: 'exchange', words: 'the exchange', reports: 'transfers', account: 'settlement' },
  rates: { name: 'rates', words: 'the source of rates', instead: 'RATES_SOURCE=file or ecb' },
  // Holds deposits on chains and payouts to chains back until they are cleared. Left out, nothing is screened.
  screening: {
    name: 'screening',
    words: 'the screening party',
    reports: 'orders',
    without: 'which screens no deposit and no payout on chains',
  },
} as const satisfies Record<string, PartyFacts>;

type Facts = typeof FACTS;
export type Party = keyof Facts;
export type PartyName = Facts[Party]['name'];
type PartyWith<Fact> = { [P in Party]: Facts[P] extends Fact ? P : never }[Party];

/** Parties whose reports concern transfers. */
export type CallingParty = PartyWith<{ reports: 'transfers' }>;
/** Parties whose reports concern orders that move no money. */
export type OrderParty = PartyWith<{ reports: 'orders' }>;
/** Parties that settle with us. Their debts and payments are booked on their accounts. */
export type SettledParty = PartyWith<{ account: string }>;

export const PARTY_FACTS: Readonly<Record<Party, PartyFacts>> = FACTS;
export const PARTIES = Object.keys(FACTS) as Party[];

const partiesWith = <P extends Party>(fits: (facts: PartyFacts) => boolean): P[] =>
  PARTIES.filter((party): party is P => fits(PARTY_FACTS[party]));

export const CALLING_PARTIES = partiesWith<CallingParty>(({ reports }) => reports === 'transfers');
export const ORDER_PARTIES = partiesWith<OrderParty>(({ reports }) => reports === 'orders');
export const SETTLED_PARTIES = partiesWith<SettledParty>(({ account }) => account !== undefined);

/** The parties that a capability depends on. */
export const partiesOf = (capability: Capability): Party[] =>
  partiesWith(({ carries = [] }) => carries.includes(capability));

export const PARTY_NAMES = Object.fromEntries(PARTIES.map((party) => [party, FACTS[party].name])) as {
  readonly [P in Party]: Facts[P]['name'];
};

/** Names of parties in lines for operators. */
export const PARTY_WORDS = Object.fromEntries(PARTIES.map((party) => [party, FACTS[party].words])) as {
  readonly [P in Party]: string;
};

export const PARTY_ACCOUNTS = Object.fromEntries(
  SETTLED_PARTIES.map((party) => [party, FACTS[party].account]),
) as { readonly [P in SettledParty]: Facts[P]['account'] };

/** The party with that name, else undefined. */
export const partyNamed = (name: string): Party | undefined =>
  PARTIES.find((party) => PARTY_NAMES[party] === name);

/**
 * Prefix of a party's variables (`PARTY_EXTERNAL_CARDS`): `_URL` and `_SECRET` follow. The bare name with `off` leaves
 * the party out.
 */
export const partyVariable = (party: Party): string =>
  `PARTY_${PARTY_NAMES[party].toUpperCase().replaceAll('-', '_')}`;
