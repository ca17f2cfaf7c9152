import type { Decimal } from '../../kernel/money/money';

/**
 * A challenge of 3-D Secure: the card processor asks whether the cardholder is the one who pays. The cardholder gets a one-time
 * code by mail, and the processor sends us the code that the payer has typed.
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

/** The life of a challenge. No status is assigned but by a row of this table. */
export const CHALLENGE_TRANSITIONS = [
  { from: 'sending', on: 'mailed', to: 'sent' },
  { from: 'sending', on: 'mail_overdue', to: 'unavailable' },
  { from: 'sending', on: 'mail_refused', to: 'unavailable' },
  { from: 'sending', on: 'time_over', to: 'expired' },
  { from: 'sent', on: 'time_over', to: 'expired' },
  // The payer may type a code before its mail is known to be sent.
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

/** A cause that moves a challenge from one status to another. */
export type ChallengeTrigger = (typeof CHALLENGE_TRANSITIONS)[number]['on'];

/** As the card network tells it. */
export interface ChallengeMerchant {
  id: string;
  name: string;
  /** ISO 3166-1, two or three letters. */
  country: string;
}

export interface Challenge {
  id: string;
  /** The processor's name for the challenge. */
  challengeId: string;
  tenantId: string;
  cardId: string;
  /** As stored: {@link statusAt} tells what time has made of it. */
  status: ChallengeStatus;
  /** The price of the purchase, in `currency`. */
  amount: Decimal;
  currency: string;
  merchant: ChallengeMerchant;
  /** The number of the code that is valid, from 1. A resend makes the next code. */
  codeNumber: number;
  /** Wrong codes so far. */
  wrongCodes: number;
  /** The latest time for the mail of this code. */
  sendBy: Date;
  /** The code is not valid from then on. */
  codeEndsAt: Date;
  /** The processor waits until then. */
  expiresAt: Date;
  createdAt: Date;
  updatedAt: Date;
}
