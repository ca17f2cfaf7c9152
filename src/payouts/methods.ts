/**
 * How money may leave (decisions part 4, Payouts). Plain data, without what reads it: the settings of a tenant are made
 * of it too.
 */
export const PAYOUT_METHODS = ['sepa', 'swift', 'card', 'crypto'] as const;
export type PayoutMethod = (typeof PAYOUT_METHODS)[number];
