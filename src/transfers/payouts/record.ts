import type { Decimal } from '../../kernel/money/money';
import type { Destination, PayoutMethod } from '../../parties/payouts/port';
import type { PayoutStatus } from './rules';

/** Money on its way out of an account. Amounts are in the account's currency unless their name says `received`. */
export interface Payout {
  id: string;
  tenantId: string;
  accountId: string;
  quoteId: string;
  externalId: string | null;
  method: PayoutMethod;
  status: PayoutStatus;
  currency: string;
  amount: Decimal;
  fee: Decimal;
  receivedCurrency: string;
  receivedAmount: Decimal;
  /** Of the received currency for one of the account's. */
  rate: Decimal;
  destinationMasked: Destination;
  idempotencyKey: string;
  /** Why the operator rejected it. */
  description: string | null;
  /** The party's code, or ours. */
  failure: string | null;
  /** It may have reached the party since. */
  submittedAt: Date | null;
  sentAt: Date | null;
  completedAt: Date | null;
  returnedAt: Date | null;
  /** What was credited again. */
  returnedAmount: Decimal | null;
  /** What came back. */
  returnedReceived: Decimal | null;
  /** How often it has changed. */
  revision: number;
  createdAt: Date;
  updatedAt: Date;
}

/** What is held, and leaves. */
export const totalDebit = ({ amount, fee }: Pick<Payout, 'amount' | 'fee'>): Decimal => amount.plus(fee);
