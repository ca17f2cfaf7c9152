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

/** Codes of the party that clients see. Other codes could reveal the party, so they become `payment_failed`. */
export const TOLD_FAILURES = [
  'card_declined',
  'insufficient_funds',
  'expired_card',
  'authentication_failed',
] as const;

/** Why a deposit waits for an operator. */
const REVIEW_REASONS = ['amount_differs', 'risk', 'taken_back'] as const;
export type ReviewReason = (typeof REVIEW_REASONS)[number];

/** Why a deposit has failed, or waits for an operator. */
export const DEPOSIT_FAILURES = [
  'method_unavailable',
  ...TOLD_FAILURES,
  'payment_failed',
  ...REVIEW_REASONS,
  'paid_late',
] as const;
export type DepositFailure = (typeof DEPOSIT_FAILURES)[number];

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
