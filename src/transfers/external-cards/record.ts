export const EXTERNAL_CARD_KINDS = ['topup', 'withdrawal'] as const;
export type ExternalCardKind = (typeof EXTERNAL_CARD_KINDS)[number];

export const EXTERNAL_CARD_STATUSES = [
  'pending',
  'requires_action',
  'processing',
  'completed',
  'failed',
  'returned',
] as const;
export type ExternalCardStatus = (typeof EXTERNAL_CARD_STATUSES)[number];

/** What a top-up or a withdrawal alone has, beside its transfer. */
export interface ExternalCardDetails {
  id: string;
  returnUrl: string | null;
  /** The card's token, sealed under the id: opened for the moment of ordering alone. */
  token: Buffer;
  /** The acquirer's page, sealed under the id, once the payer must act. */
  actionUrl: Buffer | null;
}
