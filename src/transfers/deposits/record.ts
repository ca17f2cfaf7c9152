/** `interface.md 3.2`. */
export const DEPOSIT_STATUSES = [
  'created',
  'awaiting_payment',
  'processing',
  'completed',
  'failed',
  'cancelled',
  'expired',
  'manual_review',
  'refunded',
  'chargeback',
] as const;

export type DepositStatus = (typeof DEPOSIT_STATUSES)[number];

/** A webhook tells of these, and of no other (3.2). */
export const TOLD_STATUSES: readonly string[] = DEPOSIT_STATUSES.filter(
  (status) => status !== 'created' && status !== 'awaiting_payment' && status !== 'processing',
);

/** What a deposit alone has, beside its transfer. */
export interface DepositDetails {
  id: string;
  quoteId: string;
  returnUrl: string;
  /** The party's page, once it has made it. */
  redirectSealed: Buffer | null;
}
