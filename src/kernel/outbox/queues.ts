import { CALLING_PARTIES, type CallingParty, ORDER_PARTIES, type OrderParty, PARTY_NAMES } from '../parties';

/** Task queues. Work of one queue never waits for work of another. */
export const QUEUES = {
  /** Workflows of records: issuance, closure, reviews, deposits, payouts … */
  processes: 'processes',
  /** Webhook dispatchers, with long activities, and webhook recoveries. */
  webhooks: 'webhooks',
} as const;

/** Probes of failing webhook endpoints, most of which wait for a receiver that hangs. */
export const PROBES_QUEUE = 'webhook-probes';

/** Parties whose list of changes is followed. */
export type WatchedParty = CallingParty | OrderParty;
export const WATCHED_PARTIES: readonly WatchedParty[] = [...CALLING_PARTIES, ...ORDER_PARTIES];

/** Parties that move money across our border. Chains send no callbacks and are read block by block (src/watch/chains). */
export type MoneyParty = CallingParty | 'chain';
export const MONEY_PARTIES: readonly MoneyParty[] = [...CALLING_PARTIES, 'chain'];

/**
 * Queue of activities that call a party. Each party has its own, so that a hanging party occupies no other workers. All
 * chains share one.
 */
export const PARTY_QUEUES = Object.fromEntries([
  ...WATCHED_PARTIES.map((party) => [party, `party-${PARTY_NAMES[party]}`]),
  ['chain', 'party-chain'],
]) as {
  readonly [P in WatchedParty | MoneyParty]: `party-${P extends WatchedParty ? (typeof PARTY_NAMES)[P] : P}`;
};

/**
 * Steps of the gas station, which call nodes. A hanging sweep must delay neither KYC and cards nor the watchers on
 * `party-chain`.
 */
export const STATION_QUEUE = 'gas-station';

/** Mails to cardholders and operators. A hanging mail server must delay neither KYC nor cards. */
export const MAIL_QUEUE = 'mail';

/** Queues with activities only. Their workflows run on other queues. */
export const ACTIVITY_QUEUES = [
  ...Object.values(PARTY_QUEUES),
  STATION_QUEUE,
  PROBES_QUEUE,
  MAIL_QUEUE,
] as const;
