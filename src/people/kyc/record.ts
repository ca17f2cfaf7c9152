import { conflict } from '../../kernel/errors';
import type { FileType } from '../../kernel/wire/file-type';
import type { UserMeta } from '../users/meta';
import type { KycStatus } from '../users/record';

/** `interface.md 2.2`. */
export const KYC_SLOTS = ['idFrontImg', 'idBackImg', 'idHoldImg'] as const;
export type KycSlot = (typeof KYC_SLOTS)[number];

/** How a review ends. A person may correct it later. */
export const KYC_DECISIONS = ['completed', 'rejected', 'resubmission_required'] as const;
export type KycDecision = (typeof KYC_DECISIONS)[number];

type KycTrigger =
  | 'document_uploaded'
  | 'last_document_deleted'
  | 'submitted'
  /** Where the tenant's setting `kycOnChange` says so. */
  | 'changed_by_client'
  | KycDecision;

interface KycTransition {
  from: readonly KycStatus[];
  on: KycTrigger;
  to: KycStatus;
}

/**
 * A user's KYC (decisions part 4): no status is assigned but by a line of it. `rejected` is final for the client: only an
 * operator opens it again, by `resubmission_required`.
 */
const KYC_TRANSITIONS: readonly KycTransition[] = [
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

/** Where a trigger leads, or nothing where it changes no status: a document may be uploaded at any time. */
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

/** A document's states. A decision on it may be changed, whatever became of the user. */
const KYC_DOCUMENT_TRANSITIONS: readonly {
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
  if (!to) throw conflict('invalid_transition', `The document is ${from} already.`);
  return to;
}

export interface KycDocument {
  id: string;
  tenantId: string;
  userId: string;
  slot: KycSlot;
  contentType: FileType;
  /** Bytes. */
  size: number;
  sha256: string;
  status: KycDocumentStatus;
  /** Why it was approved or rejected, in the words of who decided. */
  note: string | null;
  /** The first review that had it. */
  submission: number | null;
  createdAt: Date;
  updatedAt: Date;
}

/** The version of a user's KYC that a completed review has approved. */
export interface KycApproval {
  submission: number;
  meta: UserMeta;
  documents: { slot: KycSlot; documentId: string }[];
  approvedAt: Date;
}

export interface KycReview {
  userId: string;
  submission: number;
  tenantId: string;
  status: 'in_review' | KycDecision;
  reason: string | null;
  /** Of the request that submitted. */
  idempotencyKey: string | null;
  submittedAt: Date;
  decidedAt: Date | null;
}
