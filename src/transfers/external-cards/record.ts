import type { Decimal } from '../../kernel/money/money';

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

/** A top-up of an account from a payment card elsewhere, or a withdrawal to one. Its id is its `referenceId` too. */
export interface ExternalCardTransaction {
  id: string;
  tenantId: string;
  accountId: string;
  kind: ExternalCardKind;
  status: ExternalCardStatus;
  /** The account's. */
  currency: string;
  /** What the card pays, or is paid. A top-up credits it less the fee; a withdrawal debits it and the fee. */
  amount: Decimal;
  fee: Decimal;
  returnUrl: string | null;
  /** The party's page, sealed under the id; while the payer must act. */
  actionUrl: Buffer | null;
  actionExpiresAt: Date;
  /** Of the call that made it; travels to its webhooks. */
  idempotencyKey: string;
  /** The party's code. */
  failure: string | null;
  /** What of the amount has gone back, by the party's word: charged back, or not taken by the card. */
  returnedAmount: Decimal;
  /** How many movements were booked for that. */
  returns: number;
  /** Money of it that no rule gives to anybody. */
  suspended: Decimal;
  completedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}
