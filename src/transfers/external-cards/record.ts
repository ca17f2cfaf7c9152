export const EXTERNAL_CARD_KINDS = ['topup', 'withdrawal'] as const;
export type ExternalCardKind = (typeof EXTERNAL_CARD_KINDS)[number];

/** Statuses in the API. */
export const SHOWN_STATUSES = [
  'pending',
  'requires_action',
  'processing',
  'completed',
  'failed',
  'returned',
] as const;
export type ShownStatus = (typeof SHOWN_STATUSES)[number];

/** A withdrawal may wait for an operator first. */
export const EXTERNAL_CARD_STATUSES = [...SHOWN_STATUSES, 'pending_approval'] as const;
export type ExternalCardStatus = (typeof EXTERNAL_CARD_STATUSES)[number];

/**
 * The status in the API. The contract has no status for waiting for an operator, so it becomes `pending` (decisions
 * part 4).
 */
export const shownStatus = (status: string): ShownStatus =>
  status === 'pending_approval' ? 'pending' : (status as ShownStatus);

/** Fields of a top-up or a withdrawal beside its transfer. */
export interface ExternalCardDetails {
  id: string;
  returnUrl: string | null;
  /** The user whose data key seals the token. Null: the installation's key, for the tenant's own accounts. */
  userId: string | null;
  /** The card's token, sealed under the id. Opened only for the order. */
  token: Buffer;
  /** The acquirer's page, sealed under the id. Set once the payer must act. */
  actionUrl: Buffer | null;
}
