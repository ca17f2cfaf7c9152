import { z } from 'zod';
import type { Decimal } from '../../kernel/money/money';
import { keptDecimal as decimal } from '../../kernel/wire/schemas';
import { type Destination, PAYOUT_METHODS } from '../../parties/payouts/port';
import type { OutgoingWord } from '../../parties/protocol/outgoing-word';
import type { Situation, Transition } from '../engine/record';

/** What the client has agreed to, whatever party pays. `amount` and `fee` are in the account's currency. */
export const outgoingTerms = z.object({
  currency: z.string(),
  amount: decimal,
  fee: decimal,
  receivedCurrency: z.string(),
  receivedAmount: decimal,
  /** Above the tenant's threshold of that time: a person decides. */
  needsApproval: z.boolean(),
});

export type OutgoingTerms = z.output<typeof outgoingTerms>;

/** The same of a payout. */
export const payoutTerms = outgoingTerms.extend({
  method: z.enum(PAYOUT_METHODS),
  /** Of the received currency for one of the account's. */
  rate: decimal,
});

export type PayoutTerms = z.output<typeof payoutTerms>;

/** A price as the quote of an account's payout keeps it. */
export const quotedTerms = payoutTerms.omit({ currency: true, needsApproval: true });

/** Money that a party pays out of an account. */
export type Outgoing<Terms extends OutgoingTerms = OutgoingTerms> = Situation<Terms, OutgoingWord>;
export type Payout = Outgoing<PayoutTerms>;

/** What is held, and leaves. */
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
  /** Nobody need approve it. */
  | 'accepted'
  | 'approved'
  | 'rejected'
  /** Its account or user may no longer pay. */
  | 'cancelled'
  /** The party's word. */
  | 'sent'
  | 'completed'
  | 'failed'
  | 'returned'
  /** The party says that it has decided nothing, after it had. */
  | 'reopened'
  /** The amounts of the party's word are not those of its status. */
  | 'incoherent';

/** What happens to a payout's status (decisions part 4, Payouts): no status is assigned but by a line of it. */
export const PAYOUT_TRANSITIONS: readonly Transition<PayoutStatus, PayoutTrigger>[] = [
  { from: ['created'], on: 'approval_required', to: 'pending_approval' },
  { from: ['created'], on: 'accepted', to: 'processing' },
  // While the party was told nothing: see `outgoing.ts`, `mayItStillPay`.
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

/** Whether a caller waits for nothing more: the payout has ended, or a person decides. */
export const isSettled = ({ status }: { status: string }): boolean =>
  isFinal(status) || status === 'pending_approval';

/** What a payout alone has, beside its transfer. */
export interface PayoutDetails {
  id: string;
  quoteId: string;
  /** The client's own name for it. */
  externalId: string | null;
  destinationMasked: Destination;
}

/** A payout with what it alone has. */
export interface ShownPayout {
  payout: Payout;
  details: PayoutDetails;
}
