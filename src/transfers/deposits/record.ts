import type { Decimal } from '../../kernel/money/money';
import type { DepositMethod } from './settings';

/** `interface.md 3.2`. */
export const DEPOSIT_STATUSES = [
  'created',
  'awaiting_payment',
  'processing',
  'completed',
  'failed',
  'cancelled',
  'expired',
  'manual_review',
  'refunded',
  'chargeback',
] as const;

export type DepositStatus = (typeof DEPOSIT_STATUSES)[number];

export interface Deposit {
  id: string;
  tenantId: string;
  accountId: string;
  externalId: string | null;
  quoteId: string;
  method: DepositMethod;
  status: DepositStatus;
  /** Asked for, in `currency`: the payer's. */
  amount: Decimal;
  currency: string;
  /** In the payer's currency. */
  chargedAmount: Decimal;
  /** In the account's currency, as the fee. */
  creditedAmount: Decimal;
  serviceFee: Decimal;
  accountCurrency: string;
  rate: Decimal;
  feeFixed: Decimal;
  feePercent: Decimal;
  /** Of its account transactions. */
  referenceId: string;
  returnUrl: string;
  expiresAt: Date;
  sessionId: string | null;
  redirectSealed: Buffer | null;
  /** What the party says it has. */
  paidAmount: Decimal | null;
  paidCurrency: string | null;
  settledAt: Date | null;
  /** Of what was paid, stands in suspense. */
  suspended: Decimal;
  /** The operator's, until it is done. */
  decision: 'approved' | 'rejected' | null;
  failure: string | null;
  refundedAmount: Decimal;
  refundOpen: boolean;
  idempotencyKey: string;
  createdAt: Date;
  updatedAt: Date;
  completedAt: Date | null;
}
