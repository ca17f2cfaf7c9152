import type { Decimal } from '../../kernel/money/money';

export const APPROVAL_STATUSES = ['pending', 'approved', 'rejected'] as const;
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

export interface Money {
  amount: Decimal;
  currency: string;
}

/** A field of a configuration before and after, as people read it: no secret of it. */
export interface ConfigChange {
  field: string;
  from: string | null;
  to: string | null;
}

/** What one operator has asked for, which another one approves: nothing of it is done before (decisions part 2). */
export interface Approval {
  id: string;
  /** What is to be done: `account.deposit`, `suspense.credit` … */
  kind: string;
  /** The id of the record that it is about. */
  subject: string;
  tenantId: string | null;
  /** The money that it moves, above a limit of the installation (src/process/limits); null: none. */
  money: Money | null;
  /** Of the kind's own shape. Ids and amounts, never personal data. */
  terms: unknown;
  /** What it changes of a configuration, for people; empty where it moves money. */
  changes: readonly ConfigChange[];
  reason: string;
  /** `operator:<name>`, or the client id of an admin credential that names no operator. */
  requestedBy: string;
  requestedAt: Date;
  status: ApprovalStatus;
  /** How many operators approve it: who asked is none of them. */
  needs: 1 | 2;
  /** The first of two who has approved it. */
  firstBy: string | null;
  firstAt: Date | null;
  decidedBy: string | null;
  decidedAt: Date | null;
  /** What was said with the decision. */
  note: string | null;
}
