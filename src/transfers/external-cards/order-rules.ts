import { z } from 'zod';
import { Decimal, maxOf, minOf, sumOf, ZERO } from '../../kernel/money/money';
import type { CardOrderWord } from '../../parties/external-cards/word';
import { storedDecimal as decimal } from '../../parties/protocol/stored';
import { approvalOf } from '../approval/decide';
import type { Order } from '../engine/kind';
import { first, type Situation } from '../engine/record';
import type { ExternalCardStatus } from './record';

/** Rules that top-ups and withdrawals share: the terms, and how to read the acquirer's word. */

export const cardTerms = z.object({
  /** The amount that the card pays or receives, in the account's currency. */
  amount: decimal,
  /** A top-up credits the amount less the fee. A withdrawal debits both. */
  fee: decimal,
  currency: z.string(),
  /** The payer must have acted by then. */
  actionExpiresAt: z.coerce.date(),
  /** A withdrawal above the tenant's thresholds at creation, which an operator must approve. */
  needsApproval: z.boolean().default(false),
});

export type CardTerms = z.output<typeof cardTerms>;
export type CardTransfer = Situation<CardTerms, CardOrderWord>;

/** Triggers of a top-up or a withdrawal. Names of the acquirer's statuses are unchanged. */
export type CardTrigger =
  /** An operator's decision. */
  | 'approved'
  | 'rejected'
  /** By the system, before the order was given: see `kind.ts`, `consider`. */
  | 'stopped'
  /** The acquirer refuses the order for good. */
  | 'refused'
  | 'action_required'
  | 'accepted'
  | 'succeeded'
  | 'failed'
  /** Money went back: charged back, or not accepted by the card's bank. */
  | 'returned'
  /** The acquirer takes back that the money arrived. */
  | 'unpaid'
  /** Triggers without a transition: the word contradicts itself. `short`: less has moved than was ordered. */
  | 'short'
  | 'unmoved'
  | 'kept';

/** A trigger, and the statuses in which it has nothing more to do. */
export interface Call {
  on: CardTrigger;
  to: readonly ExternalCardStatus[];
}

/** The triggers of the acquirer's statuses, unless amounts say more. */
export const CALLS: Readonly<Record<CardOrderWord['status'], Call>> = {
  requires_action: { on: 'action_required', to: ['requires_action'] },
  processing: { on: 'accepted', to: ['processing'] },
  succeeded: { on: 'succeeded', to: ['completed'] },
  failed: { on: 'failed', to: ['failed'] },
};

/** Chooses the trigger by the acquirer's word; before the first word, by decisions. */
export const triggerBy =
  (callOf: (situation: CardTransfer, word: CardOrderWord) => Call | undefined) =>
  (situation: CardTransfer): CardTrigger | undefined => {
    const { word } = situation.transfer;
    const status = situation.transfer.status as ExternalCardStatus;
    if (status === 'pending_approval') return decisionOn(situation);
    if (word === null) return status === 'pending' ? endedUnordered(situation) : undefined;
    const called = callOf(situation, word);
    return called === undefined || called.to.includes(status) ? undefined : called.on;
  };

export const OPEN_CARD_STATUSES: readonly string[] = [
  'pending_approval',
  'pending',
  'requires_action',
  'processing',
];

/** Whether the acquirer, the payer or an operator is waited for. */
export const isOpen = ({ transfer }: Pick<CardTransfer, 'transfer'>): boolean =>
  OPEN_CARD_STATUSES.includes(transfer.status);

export const returnedIn = (word: CardOrderWord | null): Decimal => sumOf(word?.returns ?? []);

/** The amount that the acquirer has moved and that has not gone back, at most the ordered amount. */
export function keptOf({ word, terms }: CardTransfer['transfer']): Decimal {
  return maxOf(ZERO, minOf(terms.amount, (word?.moved ?? ZERO).minus(returnedIn(word))));
}

function decisionOn(situation: CardTransfer): 'approved' | 'rejected' | undefined {
  const decided = approvalOf(situation);
  return decided && (decided.kind === 'approve' ? 'approved' : 'rejected');
}

/** How decisions ended the transfer before the acquirer had it. */
export function endedUnordered(situation: CardTransfer): 'rejected' | 'stopped' | 'refused' | undefined {
  if (situation.transfer.word !== null) return undefined;
  if (decisionOn(situation) === 'rejected') return 'rejected';
  if (first(situation, 'refused')) return 'refused';
  return first(situation, 'stop') && 'stopped';
}

/** The order, under the record's id, until the acquirer has answered. */
export function orders(situation: CardTransfer): Order[] {
  const { id, status, word } = situation.transfer;
  return status === 'pending' && word === null && !endedUnordered(situation)
    ? [{ key: id, what: 'open' }]
    : [];
}

/** The failure code: the acquirer's where it gives one, else ours. */
export function failure(situation: CardTransfer, on: string): string | null {
  const { word, failure } = situation.transfer;
  switch (on as CardTrigger) {
    case 'rejected':
      return 'rejected';
    case 'stopped':
      return first(situation, 'stop')?.reason ?? 'stopped';
    case 'refused':
      return z.string().catch('failed').parse(first(situation, 'refused')?.data['code']);
    case 'failed':
      return word?.failureCode ?? failure ?? 'failed';
    case 'returned':
    case 'unpaid':
      return word?.failureCode ?? failure ?? 'returned';
    default:
      return null;
  }
}

/** Deadline of the payer. The time in which an operator decided does not count. */
export function actionExpiresAt({ transfer, decisions }: CardTransfer): Date {
  const { terms, createdAt } = transfer;
  const approved = first({ decisions }, 'approve');
  const waited = approved ? approved.at.getTime() - createdAt.getTime() : 0;
  return new Date(terms.actionExpiresAt.getTime() + waited);
}

/** At the deadline the transfer asks the acquirer, which then reports the end. */
export const deadline = (situation: CardTransfer): Date | null =>
  situation.transfer.status === 'requires_action' ? actionExpiresAt(situation) : null;

/** Progress of a status. A word with less progress may be an overtaken answer. */
const PROGRESS = { requires_action: 0, processing: 1, failed: 2, succeeded: 3 } as const;

export function measures({ status, moved, returns }: CardOrderWord): Record<string, Decimal> {
  return {
    progress: new Decimal(PROGRESS[status]),
    moved,
    ...Object.fromEntries(returns.map(({ id, amount }) => [`return ${id}`, amount])),
  };
}

export const parts = ({ returns }: CardOrderWord): string[] => returns.map(({ id }) => id);

/**
 * The word as a person concludes an order: the open amount has moved, or never will. Amounts that went back stay.
 * @param movedIfFailed the amount that moved for good
 * @returns undefined before the order, and for `paid` where the acquirer has ended it
 */
export const concludedBy =
  (movedIfFailed: (word: CardOrderWord) => Decimal) =>
  (
    { transfer: { word, terms, orderedAt } }: CardTransfer,
    as: 'paid' | 'failed',
  ): CardOrderWord | undefined => {
    const ended = word?.status === 'succeeded' || word?.status === 'failed';
    if (orderedAt === null || (ended && as === 'paid')) return undefined;
    const { moved = ZERO, returns = [] } = word ?? {};
    return as === 'paid'
      ? { status: 'succeeded', moved: maxOf(moved, terms.amount), returns }
      : { status: 'failed', moved: word ? movedIfFailed(word) : ZERO, returns };
  };
