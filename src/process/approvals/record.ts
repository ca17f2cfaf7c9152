import type { Decimal } from '../../kernel/money/money';
import type { Permission } from '../../kernel/permissions';

export const APPROVAL_STATUSES = ['pending', 'approved', 'rejected'] as const;
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

export interface Money {
  amount: Decimal;
  currency: string;
}

/** A field of a configuration before and after the change, for people. It holds no secret. */
export interface ConfigChange {
  field: string;
  from: string | null;
  to: string | null;
}

/** A request of one operator that another must approve before it is carried out (decisions part 2). */
export interface Approval {
  id: string;
  /** The action: `account.deposit`, `suspense.credit` … */
  kind: string;
  /** Id of the record that the action concerns. */
  subject: string;
  tenantId: string | null;
  /** The money to move, above a limit of the installation (`src/process/limits`). Null: the action moves none. */
  money: Money | null;
  /** Parameters of the action, by its kind: ids and amounts, never personal data. */
  terms: unknown;
  /** What the action will do, for people. */
  changes: readonly ConfigChange[];
  /** Facts of the subject by which it was asked for. It is not carried out when one has changed. Null: not compared. */
  restsOn: Readonly<Record<string, unknown>> | null;
  reason: string;
  /** `operator:<name>`, or the client id of an admin credential. */
  requestedBy: string;
  requestedAt: Date;
  status: ApprovalStatus;
  /** Which those who approve it have. */
  permission: Permission;
  /** Keyed hash of the request ({@link sealOf}). Null where a program asked. */
  seal: Buffer | null;
  /** Number of operators who must approve it. The requester does not count. */
  needs: 1 | 2;
  firstBy: string | null;
  firstAt: Date | null;
  decidedBy: string | null;
  decidedAt: Date | null;
  /** The decision's comment. */
  note: string | null;
}

export interface DecideApproval {
  id: string;
  status: 'approved' | 'rejected';
  note: string | null;
  /** `operator:<name>`. A requester can never approve, but may withdraw the request. */
  decidedBy: string;
  at: Date;
}
