import type { Decimal } from '../../kernel/money/money';

export const APPROVAL_STATUSES = ['pending', 'approved', 'rejected'] as const;
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

/** What one operator has asked for, which another one approves: nothing of it is done before (decisions part 2). */
export interface Approval {
  id: string;
  /** What is to be done: `account.deposit`, `suspense.credit` … */
  kind: string;
  /** The id of the record that it is about. */
  subject: string;
  tenantId: string | null;
  /** What it is about; with what was decided alone before it is above the installation's limit (src/process/limits). */
  amount: Decimal;
  currency: string;
  /** Of the kind's own shape. Ids and amounts, never personal data. */
  terms: unknown;
  reason: string;
  /** `operator:<name>`. */
  requestedBy: string;
  requestedAt: Date;
  status: ApprovalStatus;
  decidedBy: string | null;
  decidedAt: Date | null;
  /** What was said with the decision. */
  note: string | null;
}
