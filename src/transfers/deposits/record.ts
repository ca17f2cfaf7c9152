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

/** The statuses in which a deposit waits for the payer, the party or a person. */
export const OPEN_DEPOSIT_STATUSES: readonly string[] = [
  'created',
  'awaiting_payment',
  'processing',
  'manual_review',
] satisfies DepositStatus[];

/** The statuses with a webhook (3.2). */
export const TOLD_STATUSES: readonly string[] = DEPOSIT_STATUSES.filter(
  (status) => status !== 'created' && status !== 'awaiting_payment' && status !== 'processing',
);

/** Fields of a deposit beside its transfer. */
export interface DepositDetails {
  id: string;
  quoteId: string;
  returnUrl: string;
  /** The party's page, once it exists. */
  redirectSealed: Buffer | null;
}
