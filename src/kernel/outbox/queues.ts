/** Task queues. Work of one queue never waits for work of another. */
export const QUEUES = {
  /** Workflows of records: issuance, closure, reviews, deposits, payouts … */
  processes: 'processes',
  /** Webhook dispatchers, with long activities, and webhook recoveries. */
  webhooks: 'webhooks',
} as const;

/** Probes of failing webhook endpoints, most of which wait for a receiver that hangs. */
export const PROBES_QUEUE = 'webhook-probes';

/** Parties that speak our protocol (docs/parties.md). They send callbacks, list changes and can be switched off. */
const CALLING_PARTY_QUEUES = {
  checkout: 'party-checkout',
  payouts: 'party-payouts',
  externalCards: 'party-external-cards',
  bank: 'party-bank',
  exchange: 'party-exchange',
} as const;

const MONEY_PARTY_QUEUES = {
  ...CALLING_PARTY_QUEUES,
  // Shared by all chains. Chains send no callbacks and are read block by block (src/watch/chains).
  chain: 'party-chain',
} as const;

const OF_CARDS_QUEUES = {
  cardProcessor: 'party-card-processor',
  cardholderReview: 'party-cardholder-review',
} as const;

/** Queue of activities that call a party. Each party has its own, so that a hanging party occupies no other workers. */
export const PARTY_QUEUES = {
  ...MONEY_PARTY_QUEUES,
  ...OF_CARDS_QUEUES,
} as const;

/**
 * Steps of the gas station, which call nodes. A hanging sweep must delay neither KYC and cards nor the watchers on
 * `party-chain`.
 */
export const STATION_QUEUE = 'gas-station';

/** Mails to cardholders. A hanging mail server must delay neither KYC nor cards. */
export const MAIL_QUEUE = 'mail';

/** Queues with activities only. Their workflows run on other queues. */
export const ACTIVITY_QUEUES = [
  ...Object.values(PARTY_QUEUES),
  STATION_QUEUE,
  PROBES_QUEUE,
  MAIL_QUEUE,
] as const;

/** Parties that move money across our border, named as in `Services.parties`. */
export type MoneyParty = keyof typeof MONEY_PARTY_QUEUES;
export const MONEY_PARTIES = Object.keys(MONEY_PARTY_QUEUES) as MoneyParty[];

/** Money parties that speak our protocol. */
export type CallingParty = keyof typeof CALLING_PARTY_QUEUES;

/** Parties whose list of changes is followed. */
export type WatchedParty = CallingParty | keyof typeof OF_CARDS_QUEUES;
export const WATCHED_PARTIES = Object.keys({ ...CALLING_PARTY_QUEUES, ...OF_CARDS_QUEUES }) as WatchedParty[];

/** Names of parties in lines for operators. */
export const PARTY_WORDS: Record<WatchedParty, string> = {
  checkout: 'the checkout',
  payouts: 'the payouts party',
  externalCards: 'the card acquirer',
  bank: 'the bank',
  exchange: 'the exchange',
  cardProcessor: 'the card processor',
  cardholderReview: 'the cardholder review',
};
