import type { Decimal } from '../../kernel/money/money';

/** What no rule can settle: a person must look at it, and says what became of it. */
export interface Break {
  id: string;
  /** null where the money belongs to nobody that we know. */
  tenantId: string | null;
  /** What went wrong, as a code: `deposit_unmatched`, `refund_failed` … */
  kind: string;
  /** The record, or the party's object, that it is about. */
  subject: string;
  /** What tells one from another of its kind and subject, and tells the operator what to look at; no personal data. */
  detail: string;
  amount: Decimal | null;
  currency: string | null;
  createdAt: Date;
  resolvedAt: Date | null;
  resolvedBy: string | null;
  note: string | null;
}
