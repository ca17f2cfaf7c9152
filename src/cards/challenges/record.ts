import type { Decimal } from '../../kernel/money/money';

/**
 * Statuses of a challenge of 3-D Secure. The card processor asks us to authenticate the payer of a purchase. The
 * cardholder gets a one-time code by mail, and the processor sends us the code that the payer typed.
 */
export const CHALLENGE_STATUSES = [
  'sending',
  'sent',
  'approved',
  'used',
  'failed',
  'expired',
  'cancelled',
  'unavailable',
] as const;
export type ChallengeStatus = (typeof CHALLENGE_STATUSES)[number];

/** Transitions of a challenge. A status changes only by a row of this table. */
export const CHALLENGE_TRANSITIONS = [
  { from: 'sending', on: 'mailed', to: 'sent' },
  { from: 'sending', on: 'mail_overdue', to: 'unavailable' },
  { from: 'sending', on: 'mail_refused', to: 'unavailable' },
  { from: 'sending', on: 'time_over', to: 'expired' },
  { from: 'sent', on: 'time_over', to: 'expired' },
  // The payer may type a code before the mail server has confirmed the mail.
  { from: 'sending', on: 'right_code', to: 'approved' },
  { from: 'sent', on: 'right_code', to: 'approved' },
  { from: 'sending', on: 'last_wrong_code', to: 'failed' },
  { from: 'sent', on: 'last_wrong_code', to: 'failed' },
  { from: 'sending', on: 'resend', to: 'sending' },
  { from: 'sent', on: 'resend', to: 'sending' },
  { from: 'expired', on: 'resend', to: 'sending' },
  { from: 'unavailable', on: 'resend', to: 'sending' },
  { from: 'sending', on: 'cancel', to: 'cancelled' },
  { from: 'sent', on: 'cancel', to: 'cancelled' },
  { from: 'unavailable', on: 'cancel', to: 'cancelled' },
  { from: 'approved', on: 'cancel', to: 'cancelled' },
  { from: 'approved', on: 'authorization', to: 'used' },
] as const satisfies { from: ChallengeStatus; on: string; to: ChallengeStatus }[];

export type ChallengeTrigger = (typeof CHALLENGE_TRANSITIONS)[number]['on'];

/** The merchant as the card network names it. */
export interface ChallengeMerchant {
  id: string;
  name: string;
  /** ISO 3166-1, two or three letters. */
  country: string;
}

export interface Challenge {
  id: string;
  /** The processor's id of the challenge. */
  challengeId: string;
  tenantId: string;
  cardId: string;
  /** The stored status. {@link statusAt} gives the status at a moment. */
  status: ChallengeStatus;
  /** The price of the purchase, in `currency`. */
  amount: Decimal;
  currency: string;
  merchant: ChallengeMerchant;
  /** The number of the valid code, from 1. A resend makes the next code. */
  codeNumber: number;
  wrongCodes: number;
  /** The latest time at which the mail of this code may be sent. */
  sendBy: Date;
  /** The time from which the code is invalid. */
  codeEndsAt: Date;
  /** The time until which the processor waits. */
  expiresAt: Date;
  createdAt: Date;
  updatedAt: Date;
}
