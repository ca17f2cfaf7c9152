import type { Decimal } from '../../kernel/money/money';
import type { Remitter } from './services';

/** A statement's period: `from` is included, `to` is excluded. */
export interface Period {
  from: Date;
  to: Date;
}

/** A listed entry of the account. */
export interface StatementLine {
  id: string;
  at: Date;
  type: string;
  /** Absent for a card, whose events have types alone. */
  subtype: string | null;
  referenceId: string;
  linkedId?: string | undefined;
  /** The payer of a credit to a virtual IBAN. */
  remitter?: Remitter | undefined;
  /** Never negative. */
  amount: Decimal;
  /** Change of the balance. */
  change: Decimal;
  /** The balance after the line. */
  balance: Decimal;
}

/** Lines of one type and subtype. */
export interface StatementTotal {
  type: string;
  subtype: string | null;
  count: number;
  change: Decimal;
}

/**
 * A statement whose edges are read. A balance is available + pending, because holds move money only between the two and
 * no client sees them.
 */
export interface Statement extends Period {
  accountId: string;
  currency: string;
  /** Whether the period had ended when the statement was read, so that the same statement is never read otherwise. */
  complete: boolean;
  opening: Decimal;
  closing: Decimal;
}
