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
  status: UserStatus;
  /** Why the status was set, in the words of who set it. */
  statusReason: string | null;
  meta: UserMeta;
  kycStatus: KycStatus;
  createdAt: Date;
  updatedAt: Date;
}
