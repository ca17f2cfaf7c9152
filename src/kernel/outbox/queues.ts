/** Task queues: what must not wait for one another is worked apart. */
export const QUEUES = {
  /** Processes of records: issuance, closure, reviews, deposits, payouts … */
  processes: 'processes',
  /** Webhook dispatchers, whose activities run long, and recoveries. */
  webhooks: 'webhooks',
} as const;

/** Probes of webhook endpoints that fail: nearly all of them wait for a receiver that hangs. */
export const PROBES_QUEUE = 'webhook-probes';

/** Of the parties that speak our protocol (docs/parties.md): they call back, list what has changed, and can be switched off. */
const CALLING_PARTY_QUEUES = {
  checkout: 'party-checkout',
  payouts: 'party-payouts',
  externalCards: 'party-external-cards',
  bank: 'party-bank',
  exchange: 'party-exchange',
} as const;

const MONEY_PARTY_QUEUES = {
  ...CALLING_PARTY_QUEUES,
  // Of all chains: they call nobody, and are read block by block (src/watch/chains).
  chain: 'party-chain',
} as const;

const OF_CARDS_QUEUES = {
  cardProcessor: 'party-card-processor',
  cardholderReview: 'party-cardholder-review',
} as const;

/** Activities that ask a party, a queue each: one that hangs takes nobody else's workers. */
export const PARTY_QUEUES = {
  ...MONEY_PARTY_QUEUES,
  ...OF_CARDS_QUEUES,
} as const;

/** The gas station's steps, which ask nodes. A hung sweep must hold up neither KYC and cards nor the watchers on `party-chain`. */
export const STATION_QUEUE = 'gas-station';

/** Mails to cardholders. A mail server that hangs must hold up neither KYC nor cards. */
export const MAIL_QUEUE = 'mail';

/** Queues of activities alone: the workflows that ask for them are worked elsewhere. */
export const ACTIVITY_QUEUES = [
  ...Object.values(PARTY_QUEUES),
  STATION_QUEUE,
  PROBES_QUEUE,
  MAIL_QUEUE,
] as const;

/** The parties that move money across our border, as `Services.parties` has them. */
export type MoneyParty = keyof typeof MONEY_PARTY_QUEUES;
export const MONEY_PARTIES = Object.keys(MONEY_PARTY_QUEUES) as MoneyParty[];

/** Those of them that speak our protocol. */
export type CallingParty = keyof typeof CALLING_PARTY_QUEUES;

/** The parties whose list of what has changed is followed. */
export type WatchedParty = CallingParty | keyof typeof OF_CARDS_QUEUES;
export const WATCHED_PARTIES = Object.keys({ ...CALLING_PARTY_QUEUES, ...OF_CARDS_QUEUES }) as WatchedParty[];
