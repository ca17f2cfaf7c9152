import { z } from 'zod';
import type { Decimal } from '../../kernel/money/money';
import { keptDecimal as decimal } from '../../kernel/wire/schemas';
import { type Destination, PAYOUT_METHODS } from '../../parties/payouts/port';
import type { OutgoingWord } from '../../parties/protocol/outgoing-word';
import type { Situation, Transition } from '../engine/record';

/** Terms that the client agreed to, whatever party pays. `amount` and `fee` are in the account's currency. */
export const outgoingTerms = z.object({
  currency: z.string(),
  amount: decimal,
  fee: decimal,
  receivedCurrency: z.string(),
  receivedAmount: decimal,
  /** Above the tenant's threshold at creation, so an operator must approve. */
  needsApproval: z.boolean(),
  /**
   * The destination was new at creation: money goes to it from that time on, or once an operator has approved.
   * `destination` is its fingerprint, in hexadecimal.
   */
  rest: z.object({ until: z.string(), destination: z.string() }).optional(),
});

export type OutgoingTerms = z.output<typeof outgoingTerms>;

/** Terms of a payout. */
export const payoutTerms = outgoingTerms.extend({
  method: z.enum(PAYOUT_METHODS),
  /** Units of the received currency for one unit of the account's. */
  rate: decimal,
});

export type PayoutTerms = z.output<typeof payoutTerms>;

/** A price as the quote of an account's payout stores it. */
export const quotedTerms = payoutTerms.omit({ currency: true, needsApproval: true, rest: true });

/** Money that a party pays out of an account. */
export type Outgoing<Terms extends OutgoingTerms = OutgoingTerms> = Situation<Terms, OutgoingWord>;
export type Payout = Outgoing<PayoutTerms>;

/** The held amount, which leaves the account. */
export const totalDebit = ({ amount, fee }: Pick<OutgoingTerms, 'amount' | 'fee'>): Decimal =>
  amount.plus(fee);

export const PAYOUT_STATUSES = [
  'created',
  'pending_approval',
  'processing',
  'sent',
  'completed',
  'rejected',
  'failed',
  'cancelled',
  'returned',
] as const;
export type PayoutStatus = (typeof PAYOUT_STATUSES)[number];

export type PayoutTrigger =
  | 'approval_required'
  /** No approval is needed. */
  | 'accepted'
  | 'approved'
  | 'rejected'
  /** Account or user may not pay any more. */
  | 'cancelled'
  /** The party's statuses. */
  | 'sent'
  | 'completed'
  | 'failed'
  | 'returned'
  /** The party takes back its decision. */
  | 'reopened'
  /** The amounts of the word contradict its status. */
  | 'incoherent';

/** Transitions of a payout (decisions part 4, Payouts). A status changes only by a line of this table. */
export const PAYOUT_TRANSITIONS: readonly Transition<PayoutStatus, PayoutTrigger>[] = [
  { from: ['created'], on: 'approval_required', to: 'pending_approval' },
  { from: ['created'], on: 'accepted', to: 'processing' },
  // Only before the party has the order: see `outgoing.ts`, `considerAccount`.
  { from: ['created', 'processing'], on: 'cancelled', to: 'cancelled' },
  { from: ['pending_approval'], on: 'approved', to: 'processing' },
  { from: ['pending_approval'], on: 'rejected', to: 'rejected' },
  { from: ['processing'], on: 'sent', to: 'sent' },
  { from: ['processing'], on: 'failed', to: 'failed' },
  { from: ['sent'], on: 'completed', to: 'completed' },
  { from: ['sent', 'completed'], on: 'returned', to: 'returned' },
  { from: ['failed', 'returned'], on: 'sent', to: 'sent', contradicts: true },
  { from: ['sent', 'completed'], on: 'failed', to: 'returned', contradicts: true },
  { from: ['returned'], on: 'completed', to: 'completed', contradicts: true },
];

const FINAL: readonly PayoutStatus[] = ['completed', 'rejected', 'failed', 'cancelled', 'returned'];

export const isFinal = (status: string): boolean => FINAL.includes(status as PayoutStatus);

export const OPEN_PAYOUT_STATUSES = PAYOUT_STATUSES.filter((status) => !isFinal(status));

/** Whether a caller need not wait longer: the payout has ended, or an operator decides. */
export const isSettled = ({ status }: { status: string }): boolean =>
  isFinal(status) || status === 'pending_approval';

/** Fields of a payout beside its transfer. */
export interface PayoutDetails {
  id: string;
  quoteId: string;
  /** The client's own name for it. */
  externalId: string | null;
  /** The user whose data key seals the destination. Null: the installation's key, for the tenant's own accounts. */
  userId: string | null;
  /** Sealed under the id. */
  destination: Buffer;
}

/** A payout with the fields beside its transfer. */
export interface ShownPayout {
  payout: Payout;
  details: PayoutDetails;
  /** Masked. Empty once the owner of the account was erased. */
  destination: Destination;
}
