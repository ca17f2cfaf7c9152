import { conflict } from '../../kernel/errors';
import type { FileType } from '../../kernel/wire/file-type';
import type { KycStatus } from '../users/record';

/** Slots of documents (`interface.md 2.2`). */
export const KYC_SLOTS = ['idFrontImg', 'idBackImg', 'idHoldImg'] as const;
export type KycSlot = (typeof KYC_SLOTS)[number];

/** Decisions that end a review. An operator may correct a decision later. */
export const KYC_DECISIONS = ['completed', 'rejected', 'resubmission_required'] as const;
export type KycDecision = (typeof KYC_DECISIONS)[number];

type KycTrigger =
  | 'document_uploaded'
  | 'last_document_deleted'
  | 'submitted'
  /** Only where the tenant's setting `kycOnChange` requires a new submission. */
  | 'changed_by_client'
  | KycDecision;

interface KycTransition {
  from: readonly KycStatus[];
  on: KycTrigger;
  to: KycStatus;
}

/**
 * Transitions of a user's KYC (decisions part 4). A status changes only by a row of this table. `rejected` is final for
 * the client; only an operator reopens it, by `resubmission_required`.
 */
export const KYC_TRANSITIONS: readonly KycTransition[] = [
  { from: ['not_started'], on: 'document_uploaded', to: 'documents_uploaded' },
  { from: ['documents_uploaded'], on: 'last_document_deleted', to: 'not_started' },
  { from: ['documents_uploaded', 'resubmission_required'], on: 'submitted', to: 'in_review' },
  { from: ['in_review', 'rejected', 'resubmission_required'], on: 'completed', to: 'completed' },
  { from: ['in_review', 'completed', 'resubmission_required'], on: 'rejected', to: 'rejected' },
  {
    from: ['in_review', 'completed', 'rejected'],
    on: 'resubmission_required',
    to: 'resubmission_required',
  },
  { from: ['completed'], on: 'changed_by_client', to: 'resubmission_required' },
];

/**
 * The status that a trigger leads to; undefined when it changes none, because documents may be uploaded at any time.
 */
export function kycStatusAfter(from: KycStatus, on: KycTrigger): KycStatus | undefined {
  return KYC_TRANSITIONS.find((line) => line.on === on && line.from.includes(from))?.to;
}

/** @throws Problem 409 `invalid_transition` */
export function requireKycTransition(from: KycStatus, on: KycTrigger): KycStatus {
  const to = kycStatusAfter(from, on);
  if (!to) throw conflict('invalid_transition', `A KYC that is ${from} cannot be ${WORDS[on] ?? on}.`);
  return to;
}

const WORDS: Partial<Record<KycTrigger, string>> = { resubmission_required: 'sent back for resubmission' };

export const KYC_DOCUMENT_STATUSES = ['uploaded', 'approved', 'rejected'] as const;
export type KycDocumentStatus = (typeof KYC_DOCUMENT_STATUSES)[number];

export const KYC_DOCUMENT_DECISIONS = ['approved', 'rejected'] as const;
export type KycDocumentDecision = (typeof KYC_DOCUMENT_DECISIONS)[number];

/** Transitions of a document. An operator may change a decision on it, whatever the user's status. */
export const KYC_DOCUMENT_TRANSITIONS: readonly {
  from: readonly KycDocumentStatus[];
  on: KycDocumentDecision;
  to: KycDocumentStatus;
}[] = [
  { from: ['uploaded', 'rejected'], on: 'approved', to: 'approved' },
  { from: ['uploaded', 'approved'], on: 'rejected', to: 'rejected' },
];

/** @throws Problem 409 `invalid_transition` */
export function requireDocumentTransition(
  from: KycDocumentStatus,
  on: KycDocumentDecision,
): KycDocumentStatus {
  const to = KYC_DOCUMENT_TRANSITIONS.find((line) => line.on === on && line.from.includes(from))?.to;
  if (!to) throw conflict('invalid_transition', `The document is already ${from}.`);
  return to;
}

export interface KycDocument {
  id: string;
  tenantId: string;
  userId: string;
  slot: KycSlot;
  contentType: FileType;
  /** In bytes. */
  size: number;
  sha256: string;
  status: KycDocumentStatus;
  /** Why the operator approved or rejected it. */
  note: string | null;
  /** The number of the first submission that had it. */
  submission: number | null;
  createdAt: Date;
  updatedAt: Date;
}

/** The version of a user's KYC that a completed review approved. */
export interface KycApproval {
  submission: number;
  /** The user's `meta`, sealed under the user's key. */
  metaSealed: Buffer;
  documents: { slot: KycSlot; documentId: string }[];
  approvedAt: Date;
}

export interface KycReview {
  userId: string;
  submission: number;
  tenantId: string;
  status: 'in_review' | KycDecision;
  reason: string | null;
  /** The key of the request that submitted it. */
  idempotencyKey: string | null;
  submittedAt: Date;
  decidedAt: Date | null;
}
