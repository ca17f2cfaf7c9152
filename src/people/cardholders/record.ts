import { conflict } from '../../kernel/errors';
import type { KycSlot } from '../kyc/record';

/** `providerCardHolderModel` of a BIN (`interface.md 1`). */
export type CardholderModel = 'B2B' | 'B2C';

/** `interface.md 3.1`. */
export const CARDHOLDER_STATUSES = [
  'pending_review',
  'wait_audit',
  'pass_audit',
  'reject',
  'submission_failed',
  'rejected_by_admin',
] as const;

export type CardholderStatus = (typeof CARDHOLDER_STATUSES)[number];

/** What can happen to a cardholder. */
export type CardholderTrigger =
  /** It was created, on a B2B or on a B2C BIN. */
  | 'created_b2b'
  | 'created_b2c'
  /** The client's calls: PATCH, retry, submit. */
  | 'updated'
  | 'retried'
  | 'submitted'
  /** The operator's decision. */
  | 'approved'
  | 'rejected'
  /** The party's decision, and the end of a submission that came to none. */
  | 'party_passed'
  | 'party_rejected'
  | 'submission_failed';

interface Transition {
  /** null: there was no record. */
  from: CardholderStatus | null;
  on: CardholderTrigger;
  to: CardholderStatus;
}

/** The cardholder's state machine (`interface.md 3.1`, decisions part 4): no status is assigned but by a line of it. */
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

/** Where a trigger leads; nothing where it is not possible. */
export function statusAfter(
  from: CardholderStatus | null,
  on: CardholderTrigger,
): CardholderStatus | undefined {
  return CARDHOLDER_TRANSITIONS.find((line) => line.from === from && line.on === on)?.to;
}

const OF_THE_CLIENT: readonly CardholderTrigger[] = ['updated', 'retried', 'submitted'];

/** @throws Problem 409: `status_not_editable` for what a client asks, `invalid_transition` for an operator's decision */
export function requireTransition(from: CardholderStatus | null, on: CardholderTrigger): CardholderStatus {
  const to = statusAfter(from, on);
  if (to) return to;
  const code = OF_THE_CLIENT.includes(on) ? 'status_not_editable' : 'invalid_transition';
  throw conflict(code, `A cardholder that is ${from ?? 'not there'} cannot be ${on}.`);
}

/** Whether its workflow waits for a person or for the party. */
export const isUnderReview = (status: CardholderStatus): boolean =>
  status === 'pending_review' || status === 'wait_audit';

/** A document of the user's KYC in one of its slots. */
export interface CardholderDocument {
  slot: KycSlot;
  documentId: string;
}

export interface Cardholder {
  id: string;
  tenantId: string;
  /** Whose meta the submission is built from. */
  userId: string | null;
  accountId: string;
  bin: string;
  model: CardholderModel;
  status: CardholderStatus;
  /** Why a submission failed or was rejected. */
  description: string | null;
  /** In lower case: unique per tenant and BIN. */
  email: string;
  maskedName: string;
  /** How often it was sent to the party. */
  submissions: number;
  /** When the operator or the party last decided. */
  reviewedAt: Date | null;
  /** What the newest submission carries. */
  documents: CardholderDocument[];
  /** Of the request that set its process going. */
  idempotencyKey: string | null;
  /** The present submission may have reached the party. */
  submissionSent: boolean;
  createdAt: Date;
  updatedAt: Date;
}
