import { conflict } from '../../kernel/errors';
import type { KycSlot } from '../kyc/record';

/** How cardholders are created on a BIN, `providerCardHolderModel` on the wire (`interface.md 1`). */
export type CardholderModel = 'B2B' | 'B2C';

/** Statuses of a cardholder (`interface.md 3.1`). */
export const CARDHOLDER_STATUSES = [
  'pending_review',
  'wait_audit',
  'pass_audit',
  'reject',
  'submission_failed',
  'rejected_by_admin',
] as const;

export type CardholderStatus = (typeof CARDHOLDER_STATUSES)[number];

/** Triggers of a cardholder's transitions. */
export type CardholderTrigger =
  /** Creation, on a B2B or on a B2C BIN. */
  | 'created_b2b'
  | 'created_b2c'
  /** Calls of the client: PATCH, retry, submit. */
  | 'updated'
  | 'retried'
  | 'submitted'
  /** Decisions of the operator. */
  | 'approved'
  | 'rejected'
  /** Decisions of the reviewer, and the end of a submission without a decision. */
  | 'party_passed'
  | 'party_rejected'
  | 'submission_failed';

interface Transition {
  /** Null before the record exists. */
  from: CardholderStatus | null;
  on: CardholderTrigger;
  to: CardholderStatus;
}

/** Transitions of a cardholder (`interface.md 3.1`, decisions part 4). A status changes only by a row of this table. */
export const CARDHOLDER_TRANSITIONS: readonly Transition[] = [
  { from: null, on: 'created_b2b', to: 'pass_audit' },
  { from: null, on: 'created_b2c', to: 'pending_review' },
  { from: 'pending_review', on: 'approved', to: 'wait_audit' },
  { from: 'pending_review', on: 'rejected', to: 'rejected_by_admin' },
  { from: 'wait_audit', on: 'party_passed', to: 'pass_audit' },
  { from: 'wait_audit', on: 'party_rejected', to: 'reject' },
  { from: 'wait_audit', on: 'submission_failed', to: 'submission_failed' },
  { from: 'submission_failed', on: 'updated', to: 'wait_audit' },
  { from: 'submission_failed', on: 'retried', to: 'wait_audit' },
  { from: 'reject', on: 'updated', to: 'reject' },
  { from: 'rejected_by_admin', on: 'updated', to: 'rejected_by_admin' },
  { from: 'pending_review', on: 'updated', to: 'pending_review' },
  { from: 'reject', on: 'submitted', to: 'wait_audit' },
  { from: 'rejected_by_admin', on: 'submitted', to: 'pending_review' },
  { from: 'pending_review', on: 'submitted', to: 'pending_review' },
];

/** The status that a trigger leads to; undefined when the table has no such row. */
export function statusAfter(
  from: CardholderStatus | null,
  on: CardholderTrigger,
): CardholderStatus | undefined {
  return CARDHOLDER_TRANSITIONS.find((line) => line.from === from && line.on === on)?.to;
}

const OF_THE_CLIENT: readonly CardholderTrigger[] = ['updated', 'retried', 'submitted'];

/** @throws Problem 409: `status_not_editable` for a client's call, `invalid_transition` for an operator's decision */
export function requireTransition(from: CardholderStatus | null, on: CardholderTrigger): CardholderStatus {
  const to = statusAfter(from, on);
  if (to) return to;
  const code = OF_THE_CLIENT.includes(on) ? 'status_not_editable' : 'invalid_transition';
  throw conflict(code, `A cardholder that is ${from ?? 'not there'} cannot be ${on}.`);
}

/** Whether the cardholder waits for an operator or the reviewer. */
export const isUnderReview = (status: CardholderStatus): boolean =>
  status === 'pending_review' || status === 'wait_audit';

/** A document of the user's KYC, with its slot. */
export interface CardholderDocument {
  slot: KycSlot;
  documentId: string;
}

export interface Cardholder {
  id: string;
  tenantId: string;
  /** The user whose meta the submission is built from. */
  userId: string | null;
  accountId: string;
  bin: string;
  model: CardholderModel;
  status: CardholderStatus;
  /** Why a submission failed or was rejected. */
  description: string | null;
  /** Keyed hash of the email, by which it is unique per tenant and BIN. Null once the person was erased. */
  emailHash: Buffer | null;
  /** Sealed under the user's key. */
  emailSealed: Buffer | null;
  maskedName: string;
  /** Empty where there is no email. */
  maskedEmail: string;
  /** The number of submissions to the reviewer. */
  submissions: number;
  /** The time of the last decision of the operator or the reviewer. */
  reviewedAt: Date | null;
  /** The documents of the newest submission. */
  documents: CardholderDocument[];
  /** The key of the request that started its present review. */
  idempotencyKey: string | null;
  /** Whether the present submission may have reached the reviewer. */
  submissionSent: boolean;
  createdAt: Date;
  updatedAt: Date;
}
