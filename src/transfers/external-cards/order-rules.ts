import { z } from 'zod';
import { Decimal, maxOf, minOf, sumOf, ZERO } from '../../kernel/money/money';
import type { CardOrderWord } from '../../parties/external-cards/word';
import { storedDecimal as decimal } from '../../parties/protocol/stored';
import { approvalOf } from '../approval/decide';
import type { Order } from '../engine/kind';
import { first, type Situation } from '../engine/record';
import type { ExternalCardStatus } from './record';

/** What top-ups and withdrawals have in common: what is agreed, and how the acquirer's word about an order is read. */

export const cardTerms = z.object({
  /** What the card pays, or is paid, in the account's currency. */
  amount: decimal,
  /** A top-up credits the amount less the fee; a withdrawal debits both. */
  fee: decimal,
  currency: z.string(),
  /** The payer must have acted by then. */
  actionExpiresAt: z.coerce.date(),
  /** Of a withdrawal, above the tenant's thresholds of that time: a person decides. */
  needsApproval: z.boolean().default(false),
});

export type CardTerms = z.output<typeof cardTerms>;
export type CardTransfer = Situation<CardTerms, CardOrderWord>;

/** What happens to the status of a top-up or a withdrawal. The names of words are the acquirer's statuses, as they come to us. */
export type CardTrigger =
  /** A person's, of one that waits for it. */
  | 'approved'
  | 'rejected'
  /** By us, before anything was ordered: see `kind.ts`, `consider`. */
  | 'stopped'
  /** The acquirer will never do it, as its answer to the order says. */
  | 'refused'
  | 'action_required'
  | 'accepted'
  | 'succeeded'
  | 'failed'
  /** Money has gone back: charged back, or not taken by the card's bank. */
  | 'returned'
  /** What had arrived has not, after all. */
  | 'unpaid'
  /** No line has these: the word contradicts itself. `short`: less has moved than was asked for. */
  | 'short'
  | 'unmoved'
  | 'kept';

/** What the word asks for, and the statuses that satisfy it; none where the word contradicts itself. */
export interface Call {
  on: CardTrigger;
  to: readonly ExternalCardStatus[];
}

/** What the acquirer's own status asks for where its amounts do not say more. */
export const CALLS: Readonly<Record<CardOrderWord['status'], Call>> = {
  requires_action: { on: 'action_required', to: ['requires_action'] },
  processing: { on: 'accepted', to: ['processing'] },
  succeeded: { on: 'succeeded', to: ['completed'] },
  failed: { on: 'failed', to: ['failed'] },
};

/** By what the acquirer's word asks for; before there is one, by how the order ended. */
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

const OPEN: readonly string[] = ['pending_approval', 'pending', 'requires_action', 'processing'];

/** The acquirer, or the payer, is waited for. */
export const isOpen = ({ transfer }: Pick<CardTransfer, 'transfer'>): boolean =>
  OPEN.includes(transfer.status);

export const returnedIn = (word: CardOrderWord | null): Decimal => sumOf(word?.returns ?? []);

/** Of the amount, what the acquirer has moved and not taken back again. */
export function keptOf({ word, terms }: CardTransfer['transfer']): Decimal {
  return maxOf(ZERO, minOf(terms.amount, (word?.moved ?? ZERO).minus(returnedIn(word))));
}

function decisionOn(situation: CardTransfer): 'approved' | 'rejected' | undefined {
  const decided = approvalOf(situation);
  return decided && (decided.kind === 'approve' ? 'approved' : 'rejected');
}

/** How it ended before the acquirer had it, if it did. */
export function endedUnordered(situation: CardTransfer): 'rejected' | 'stopped' | 'refused' | undefined {
  if (situation.transfer.word !== null) return undefined;
  if (decisionOn(situation) === 'rejected') return 'rejected';
  if (first(situation, 'refused')) return 'refused';
  return first(situation, 'stop') && 'stopped';
}

/** The order itself, under the record's id, until the acquirer has answered it. */
export function orders(situation: CardTransfer): Order[] {
  const { id, status, word } = situation.transfer;
  return status === 'pending' && word === null && !endedUnordered(situation)
    ? [{ key: id, what: 'open' }]
    : [];
}

/** Why it failed or came back: the acquirer's code where it gives one, ours elsewhere. */
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

/** The payer's time does not run while an operator has it. */
export function actionExpiresAt({ transfer, decisions }: CardTransfer): Date {
  const { terms, createdAt } = transfer;
  const approved = first({ decisions }, 'approve');
  const waited = approved ? approved.at.getTime() - createdAt.getTime() : 0;
  return new Date(terms.actionExpiresAt.getTime() + waited);
}

/** The payer's time runs out then, and the acquirer says so. */
export const deadline = (situation: CardTransfer): Date | null =>
  situation.transfer.status === 'requires_action' ? actionExpiresAt(situation) : null;

/** An answer that steps back along this may be one that was overtaken on its way. */
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
 * What the acquirer would say of an order that a person has concluded: what is still to move has moved, or never will. What
 * has gone back stays so.
 * @param movedIfFailed what of it has moved for good
 * @returns nothing of one that it cannot have had yet, nor that it has paid itself
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
