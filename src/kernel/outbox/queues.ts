/** Task queues: what must not wait for one another is worked apart. */
export const QUEUES = {
  /** Processes of records: issuance, closure, reviews, deposits, payouts … */
  processes: 'processes',
  /** Webhook dispatchers, whose activities run long, and recoveries. */
  webhooks: 'webhooks',
} as const;

/** Probes of webhook endpoints that fail: nearly all of them wait for a receiver that hangs. */
export const PROBES_QUEUE = 'webhook-probes';

const MONEY_PARTY_QUEUES = {
  checkout: 'party-checkout',
  payouts: 'party-payouts',
  externalCards: 'party-external-cards',
  bank: 'party-bank',
  exchange: 'party-exchange',
} as const;

/** Activities that ask a party, a queue each: one that hangs takes nobody else's workers. */
export const PARTY_QUEUES = {
  ...MONEY_PARTY_QUEUES,
  cardProcessor: 'party-card-processor',
  cardholderReview: 'party-cardholder-review',
} as const;

/** Queues of activities alone: the workflows that ask for them are worked elsewhere. */
export const ACTIVITY_QUEUES = [...Object.values(PARTY_QUEUES), PROBES_QUEUE] as const;

/** The parties that move money across our border, as `Services.parties` has them. */
export type MoneyParty = keyof typeof MONEY_PARTY_QUEUES;
export const MONEY_PARTIES = Object.keys(MONEY_PARTY_QUEUES) as MoneyParty[];

/** The parties whose list of what has changed is followed. */
export type WatchedParty = keyof typeof PARTY_QUEUES;
export const WATCHED_PARTIES = Object.keys(PARTY_QUEUES) as WatchedParty[];
