import { z } from 'zod';
import type { Kept } from '../../sandbox/orders/book';
import { storedDecimal } from '../../sandbox/orders/book';
import { CHECKOUT_METHODS } from '../port';

const moment = z.coerce.date();

const payment = z.object({
  id: z.string(),
  amount: storedDecimal,
  /** A time in the future is a planned payment. */
  paidAt: moment,
  /** Null: not settled, and no settlement is planned. */
  settlesAt: moment.nullable(),
  /** When the payer's bank took an unsettled payment back. */
  failedAt: moment.nullable(),
  risk: z.enum(['normal', 'review']),
});

const refund = z.object({
  id: z.string(),
  /** Null: the party refunds unasked. */
  key: z.string().nullable(),
  amount: storedDecimal,
  endsAt: moment,
  outcome: z.enum(['succeeded', 'failed']),
  /** When a successful refund failed after all. */
  undoneAt: moment.nullable(),
});

const dispute = z.object({
  id: z.string(),
  amount: storedDecimal,
  opensAt: moment,
  endsAt: moment.nullable(),
  outcome: z.enum(['won', 'lost']).nullable(),
  /** From when on the opposite outcome holds. */
  turnedAt: moment.nullable(),
});

export const asked = z.object({
  method: z.enum(CHECKOUT_METHODS),
  amount: storedDecimal,
  currency: z.string(),
});

export const state = z.object({
  merchant: z.string(),
  returnUrl: z.string(),
  expiresAt: moment,
  /** The page's status without a payment. */
  status: z.enum(['open', 'failed', 'cancelled']),
  failureCode: z.string().nullable(),
  payments: z.array(payment),
  refunds: z.array(refund),
  disputes: z.array(dispute),
});

export type Payment = z.output<typeof payment>;
export type Refund = z.output<typeof refund>;
export type Dispute = z.output<typeof dispute>;
export type AskedSession = z.output<typeof asked>;
export type SessionState = z.output<typeof state>;

/** A session as the sandbox's checkout stores it. `page` is the secret part of its page's address. */
export type Session = Kept<AskedSession, SessionState> & { id: string; page: string };

/** The state of a session that was made now. */
export const NEW_SESSION = {
  status: 'open',
  failureCode: null,
  payments: [],
  refunds: [],
  disputes: [],
} satisfies Partial<SessionState>;
