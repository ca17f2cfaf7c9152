export const EXTERNAL_CARD_KINDS = ['topup', 'withdrawal'] as const;
export type ExternalCardKind = (typeof EXTERNAL_CARD_KINDS)[number];

/** As the wire tells them. */
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

/** The contract's list has no status for what waits for an operator: it is shown as `pending` (decisions part 4). */
export const shownStatus = (status: string): ShownStatus =>
  status === 'pending_approval' ? 'pending' : (status as ShownStatus);

/** What a top-up or a withdrawal alone has, beside its transfer. */
export interface ExternalCardDetails {
  id: string;
  returnUrl: string | null;
  /** The card's token, sealed under the id: opened for the moment of ordering alone. */
  token: Buffer;
  /** The acquirer's page, sealed under the id, once the payer must act. */
  actionUrl: Buffer | null;
}
