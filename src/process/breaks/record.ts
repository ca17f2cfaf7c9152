import type { Decimal } from '../../kernel/money/money';

/** A discrepancy that no rule settles. A person examines it and records the result. */
export interface Break {
  id: string;
  /** Null where the money belongs to no known tenant. */
  tenantId: string | null;
  /** Code of the discrepancy: `deposit_unmatched`, `refund_failed` … */
  kind: string;
  /** The record, or the party's object, that it concerns. */
  subject: string;
  /** Distinguishes breaks of one kind and subject, and says what to examine. No personal data. */
  detail: string;
  amount: Decimal | null;
  currency: string | null;
  createdAt: Date;
  resolvedAt: Date | null;
  resolvedBy: string | null;
  note: string | null;
}
