import type { CallingParty } from '../outbox/queues';

/**
 * Internal account of each party that holds our money or pays for us, one per currency (`checkout:USD`). Each party has
 * its own account, so that its debt is visible and its payments can be booked. `CHAIN_ACCOUNTS` lists the accounts of
 * chains.
 */
export const PARTY_ACCOUNTS = {
  checkout: 'checkout',
  payouts: 'payouts',
  externalCards: 'external_cards',
  bank: 'bank',
  exchange: 'settlement',
  cardProcessor: 'card_network',
} as const satisfies Record<CallingParty | 'cardProcessor', string>;

/** Parties that settle with us. Their debts and payments are booked on their accounts. */
export type SettledParty = keyof typeof PARTY_ACCOUNTS;

export const SETTLED_PARTIES = Object.keys(PARTY_ACCOUNTS) as SettledParty[];
