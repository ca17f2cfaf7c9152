import type { UserMeta } from './meta';

export const USER_STATUSES = ['active', 'blocked'] as const;
export type UserStatus = (typeof USER_STATUSES)[number];

/** Statuses of a user's KYC (decisions part 4, Users' KYC). */
export const KYC_STATUSES = [
  'not_started',
  'documents_uploaded',
  'in_review',
  'completed',
  'rejected',
  'resubmission_required',
] as const;
export type KycStatus = (typeof KYC_STATUSES)[number];

export interface User {
  id: string;
  tenantId: string;
  externalId: string | null;
  /** Blocked while the client's or the operator's block is set. */
  status: UserStatus;
  /** The status that the client set; independent of the operator's block. */
  clientStatus: UserStatus;
  operatorBlocked: boolean;
  /** The client's reason for its status. */
  statusReason: string | null;
  /** The user's own key, sealed. Null once the person was erased. */
  dataKey: Buffer | null;
  /** `meta`, sealed under the user's key ({@link personOf}). Null once the person was erased. */
  metaSealed: Buffer | null;
  kycStatus: KycStatus;
  createdAt: Date;
  updatedAt: Date;
}

/** A user whose personal data is opened. */
export interface Person extends User {
  meta: UserMeta;
}
