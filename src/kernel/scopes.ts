/** The scopes that a secret of a tenant may be narrowed to, with their meanings for clients. */
export const SCOPE_MEANINGS = {
  read: 'Reads records, balances and histories.',
  cards: 'Creates and changes users, cardholders, KYC documents and cards, and funds cards from accounts.',
  money: 'Quotes and moves money: transfers, exchanges, deposits, payouts, withdrawals, wallets.',
  sensitive: 'Reveals card numbers, and downloads identity documents.',
  manage: 'Changes webhooks and rotates the secret. For admins also networks and the gas station.',
} as const;

export type Scope = keyof typeof SCOPE_MEANINGS;

export const SCOPES = Object.keys(SCOPE_MEANINGS) as [Scope, ...Scope[]];
