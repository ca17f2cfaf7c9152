import type { UserMeta } from './meta';

export const USER_STATUSES = ['active', 'blocked'] as const;
export type UserStatus = (typeof USER_STATUSES)[number];

/** Decisions part 4, Users' KYC. */
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
  /** Blocked while the client's block or the operator's stands. */
  status: UserStatus;
  /** What the client has set; the operator's block stands beside it. */
  clientStatus: UserStatus;
  operatorBlocked: boolean;
  /** Why the client has set its status, in its words. */
  statusReason: string | null;
  meta: UserMeta;
  kycStatus: KycStatus;
  createdAt: Date;
  updatedAt: Date;
}
