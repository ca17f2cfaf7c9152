import type { CallingParty } from '../outbox/queues';

/**
 * The internal account of each party that holds money of ours or pays for us, one per currency (`checkout:USD`). Each party has its own,
 * so that what one of them owes us can be read, and what it pays is booked. The accounts of a chain are `CHAIN_ACCOUNTS`.
 */
export const PARTY_ACCOUNTS = {
  checkout: 'checkout',
  payouts: 'payouts',
  externalCards: 'external_cards',
  bank: 'bank',
  exchange: 'settlement',
  cardProcessor: 'card_network',
} as const satisfies Record<CallingParty | 'cardProcessor', string>;

/** The parties that settle with us: what they owe and what they pay is booked on their accounts. */
export type SettledParty = keyof typeof PARTY_ACCOUNTS;

export const SETTLED_PARTIES = Object.keys(PARTY_ACCOUNTS) as SettledParty[];
